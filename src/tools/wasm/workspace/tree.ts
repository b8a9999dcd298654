import { type Dirent, readdirSync } from "node:fs";
import type { IsInstructionFile } from "../../instructions/protected-files.ts";
import type { PathResolver } from "./path-resolver.ts";
import { isGitName, TEMPORARY_NAME } from "./path-rules.ts";
import { Refusal } from "./refusal.ts";

/** Maximum entries of a tree that is moved or removed at once. */
const MAX_ENTRIES = 200_000;

export interface Tree {
  /** Everything but directories, by path relative to the root. */
  readonly files: readonly string[];
  /** Parents before children; the directory itself comes first. */
  readonly directories: readonly string[];
}

/**
 * All that a directory contains, except files being written. Throws Refusal if it contains something that no tool may
 * change.
 */
export function treeOf(resolver: PathResolver, path: string, instructs: IsInstructionFile): Tree {
  const files: string[] = [];
  const directories = [path];
  for (const directory of directories) {
    for (const entry of entriesAt(resolver, directory)) {
      const entryPath = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (isGitName(entry.name)) {
        throw new Refusal(`${entryPath} is a repository's internal data, which tools cannot change.`);
      }
      if (TEMPORARY_NAME.test(entry.name)) continue;
      refuseInstructions(entryPath, instructs);
      refuseUnreadable(entryPath);
      if (entry.isDirectory()) directories.push(entryPath);
      else files.push(entryPath);
    }
    if (files.length + directories.length > MAX_ENTRIES) {
      throw new Refusal(`${path} holds more than ${MAX_ENTRIES} entries; change it in parts, one after the other.`);
    }
  }
  return { files, directories };
}

/** A name with invalid bytes arrives with replacement characters and leads nowhere. */
function refuseUnreadable(path: string): void {
  if (!path.includes("\ufffd")) return;
  throw new Refusal(
    `${path}: the name is not valid Unicode, so tools cannot move or remove a directory that contains it.`,
  );
}

/** Programs change many files at once, so a person's approval of one does not cover them. */
export function refuseInstructions(path: string, instructs: IsInstructionFile): void {
  if (!instructs(path)) return;
  throw new Refusal(
    `${path} instructs agents or machines, or the settings guard it, so a person must decide on changes to it. Use the write tool, which asks.`,
  );
}

/** A directory's entries, in order of name. */
export function entriesAt(resolver: PathResolver, path: string): Dirent[] {
  const entries = readdirSync(resolver.directory(path).at("."), { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a listing shows the entry: `.git` is closed, and files being written are hidden. */
export function isShown(name: string): boolean {
  return !isGitName(name) && !TEMPORARY_NAME.test(name);
}
