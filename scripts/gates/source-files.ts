import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface SourceFile {
  /** Relative to the project, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const SKIPPED = new Set(["node_modules", "generated", "build", "data", ".git"]);

/** Files below `directories` with one of the `extensions`, in order of path. */
export function sourceFiles(root: string, directories: readonly string[], extensions: readonly string[]): SourceFile[] {
  return directories
    .flatMap((directory) => walk(root, directory))
    .filter((file) => extensions.some((extension) => file.endsWith(extension)))
    .toSorted()
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), "utf8") }));
}

function walk(root: string, directory: string): string[] {
  const absolute = path.join(root, directory);
  const entries = readdirOrEmpty(absolute);
  return entries.flatMap((entry) => {
    const relative = `${directory}/${entry.name}`;
    if (SKIPPED.has(entry.name)) return [];
    return entry.isDirectory() ? walk(root, relative) : entry.isFile() ? [relative] : [];
  });
}

function readdirOrEmpty(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
