import { FileError, type Filesystem } from "../workspace-files.ts";
import type { Output } from "./output.ts";
import { utf8Bytes } from "./text-encoding.ts";

/** Number of output files of earlier calls to keep; older ones are removed. */
const KEPT_FILES = 20;
/** Maximum characters of one file; the middle of longer output is replaced by a note. */
const MAX_CHARS = 16_777_216;
const LONG_LINE = 1_000;
/** Characters encoded at a time. */
const CHUNK = 262_144;

/** Returns the end of a text that is too long, and saves the whole text to a file. */
export function outputOf(
  text: string,
  { maxChars, path, files }: { maxChars: number; path: string; files: Filesystem },
): Output {
  const shown = text.toWellFormed();
  const lines = shown === "" ? 0 : shown.split("\n").length - (shown.endsWith("\n") ? 1 : 0);
  if (shown.length <= maxChars) return { text: shown, lines, file: null, cut: false };
  return { text: tailOf(shown, maxChars), lines, file: keep(shown, path, files), cut: true };
}

/** The end of the text, from the start of a line unless lines are long. */
function tailOf(text: string, maxChars: number): string {
  const tail = text.slice(-maxChars).toWellFormed();
  const lineEnd = tail.indexOf("\n");
  return lineEnd === -1 || lineEnd > LONG_LINE ? tail : tail.slice(lineEnd + 1);
}

/** Null if the file cannot be written. */
function keep(text: string, path: string, files: Filesystem): string | null {
  const directory = path.slice(0, path.lastIndexOf("/"));
  try {
    files.makeDirectory(directory, true);
    files.writeFile(`${directory}/.gitignore`, "*\n", false);
    writeText(boundedTo(text, MAX_CHARS), path, files);
    removeOldest(directory, files);
    return path;
  } catch (error) {
    if (error instanceof FileError) return null;
    throw error;
  }
}

function writeText(text: string, path: string, files: Filesystem): void {
  for (let at = 0; at < text.length; ) {
    const end = at + CHUNK;
    const splitsPair = /[\ud800-\udbff]/.test(text.charAt(end - 1));
    const chunk = text.slice(at, splitsPair ? end + 1 : end);
    files.writeFile(path, utf8Bytes(chunk), at > 0);
    at += chunk.length;
  }
}

function boundedTo(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max / 2)}\n[${text.length - max} characters left out]\n${text.slice(-max / 2)}`;
}

function removeOldest(directory: string, files: Filesystem): void {
  const kept = files
    .entries(directory)
    .split("\0")
    .filter((entry) => entry.startsWith("f") && entry !== "f.gitignore")
    .map((entry) => `${directory}/${entry.slice(1)}`)
    .map((path) => ({ path, modified: files.status(path, false).modified }))
    .sort((a, b) => b.modified - a.modified);
  for (const { path } of kept.slice(KEPT_FILES)) files.remove(path, false);
}
