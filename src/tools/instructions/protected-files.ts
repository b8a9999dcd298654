import { existsSync } from "node:fs";
import { PathResolver, withFile } from "../wasm/workspace/path-resolver.ts";
import { comparableName } from "../wasm/workspace/path-rules.ts";
import { unlessRefused } from "../wasm/workspace/refusal.ts";
import { guardedBy } from "./guarded-patterns.ts";
import { linkedTexts, walkImports } from "./imports.ts";
import { isInstructionFile } from "./instruction-files.ts";
import { instructionText, PROJECT_FILES } from "./instruction-text.ts";

/** Whether agents take instructions from a file, by its path relative to the sandbox root. */
export type Instructs = (path: string) => boolean;

/**
 * What instructs agents in a sandbox root: files by their names, those that the settings add (`guarded`), and what the
 * root's own instruction files import or link to, so that no tool writes by that way what it must not write itself. Those
 * are read when it is first asked, and once.
 */
export function instructing(root: string, guarded: readonly string[] = []): Instructs {
  const isGuarded = guardedBy(guarded);
  let imported: ReadonlySet<string> | null = null;
  return (path) => {
    if (isInstructionFile(path) || isGuarded(comparableNames(path))) return true;
    imported ??= importedFiles(root);
    return imported.has(comparablePath(path));
  };
}

/** Also those that are not there: who creates one gives instructions. */
function importedFiles(root: string): ReadonlySet<string> {
  const found = new Set<string>();
  if (!existsSync(root)) return found;
  using resolver = new PathResolver(root);
  const read = (file: string): string | null =>
    unlessRefused(() => {
      const place = resolver.find(file);
      // By its resolved path, too, so that a link is no way around it.
      found.add(comparablePath(place.relative));
      return withFile(place, file, instructionText);
    });
  for (const file of PROJECT_FILES) {
    const text = read(file);
    if (text === null) continue;
    const { imported, named } = walkImports({ file, text }, read);
    for (const one of named) found.add(comparablePath(one));
    for (const one of [{ file, text }, ...imported])
      for (const linked of linkedTexts(one)) found.add(comparablePath(linked));
  }
  return found;
}

function comparablePath(path: string): string {
  return comparableNames(path).join("/");
}

function comparableNames(path: string): string[] {
  return path
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .map(comparableName);
}
