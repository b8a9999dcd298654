import { type Dirent, readdirSync } from "node:fs";
import type { PathResolver } from "./path-resolver.ts";
import { isGitName, TEMPORARY_NAME } from "./path-rules.ts";
import { unlessRefused } from "./refusal.ts";

export interface WalkOptions {
  readonly hidden: boolean;
  readonly dependencies: boolean;
  readonly maxEntries: number;
}

/** Lists the regular files beneath a directory, in order of path within each directory. Links are not followed. */
export function listFiles(
  resolver: PathResolver,
  path: string,
  options: WalkOptions,
): { paths: string[]; cut: boolean } {
  const start = resolver.find(path);
  if (start.stats?.isFile()) return { paths: [start.relative], cut: false };
  const paths: string[] = [];
  const waiting = [start.relative];
  let entries = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of entriesOf(resolver, at, at === start.relative)) {
      if (++entries > options.maxEntries) return { paths, cut: true };
      if (!isListed(entry.name, options)) continue;
      const entryPath = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(entryPath);
      else if (entry.isFile()) paths.push(entryPath);
    }
  }
  return { paths, cut: false };
}

function entriesOf(resolver: PathResolver, path: string, isStart: boolean): Dirent[] {
  const read = () => readdirSync(resolver.directory(path).at("."), { withFileTypes: true });
  // Directories that vanish or cannot be read are skipped, but the start itself must exist.
  return isStart ? read() : (unlessRefused(read) ?? []);
}

function isListed(name: string, { hidden, dependencies }: WalkOptions): boolean {
  if (isGitName(name) || TEMPORARY_NAME.test(name)) return false;
  if (!hidden && name.startsWith(".")) return false;
  return dependencies || name !== "node_modules";
}
