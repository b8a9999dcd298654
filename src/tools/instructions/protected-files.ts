import { existsSync } from "node:fs";
import { PathResolver, withFile } from "../wasm/workspace/path-resolver.ts";
import { comparableName } from "../wasm/workspace/path-rules.ts";
import { unlessRefused } from "../wasm/workspace/refusal.ts";
import { compileGuarded } from "./guarded-patterns.ts";
import { linkedTexts, walkImports } from "./imports.ts";
import { isInstructionFile } from "./instruction-files.ts";
import { instructionText, PROJECT_FILES } from "./instruction-text.ts";

/** Whether agents take instructions from a file, given its path relative to the sandbox root. */
export type IsInstructionFile = (path: string) => boolean;

/**
 * Recognises the files that instruct agents in a sandbox root: by name, by the settings' patterns (`guarded`), and by
 * being imported or linked from the root's own instruction files, so that no tool can give instructions through them.
 * The instruction files are read once, on first use.
 */
export function instructionFileCheck(root: string, guarded: readonly string[] = []): IsInstructionFile {
  const isGuarded = compileGuarded(guarded);
  let imported: ReadonlySet<string> | null = null;
  return (path) => {
    if (isInstructionFile(path) || isGuarded(comparableNames(path))) return true;
    imported ??= importedFiles(root);
    return imported.has(comparablePath(path));
  };
}

/** Includes files that do not exist, because creating one gives instructions. */
function importedFiles(root: string): ReadonlySet<string> {
  const found = new Set<string>();
  if (!existsSync(root)) return found;
  using resolver = new PathResolver(root);
  const read = (file: string): string | null =>
    unlessRefused(() => {
      const place = resolver.find(file);
      // The resolved path counts too, so that a link cannot evade the protection.
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
