import { changedLines, lineNumberAt } from "./lines.ts";
import { notFound } from "./not-found.ts";
import type { EditRequest } from "./request.ts";

export interface Replaced {
  readonly text: string;
  /** First lines of the replacements, counted from 1. */
  readonly lines: readonly number[];
  readonly added: number;
  readonly removed: number;
}

/**
 * Replaces exact text. Models write LF, so LF and CRLF match each other, and the new text gets the line ends of its
 * surroundings; every other byte of the file is unchanged. Returns a sentence for the model if nothing can be replaced.
 */
export function replaceText(file: string, edit: EditRequest): Replaced | string {
  const wanted = withLf(edit.oldText);
  const put = withLf(edit.newText);
  if (wanted === put) return "old_string and new_string are the same; nothing would change.";
  const text = withLf(file);
  const found = occurrences(text, wanted);
  if (found.length === 0) return notFound(text, wanted, edit.path);
  if (found.length > 1 && !edit.replaceAll) return ambiguous(text, found, edit.path);
  const rawOffset = offsetsOfRaw(file);
  const pieces: string[] = [];
  let from = 0;
  for (const at of found) {
    const start = rawOffset(at);
    const end = rawOffset(at + wanted.length);
    pieces.push(file.slice(from, start), withEndsOf(file, file.slice(start, end), put));
    from = end;
  }
  pieces.push(file.slice(from));
  return {
    text: pieces.join(""),
    lines: found.map((at) => lineNumberAt(text, at)),
    ...countChanges(wanted, put, found),
  };
}

function withLf(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

function occurrences(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

/** Maps ascending offsets in the text with LF to offsets in the file, where each CRLF is one character longer. */
function offsetsOfRaw(file: string): (offset: number) => number {
  let dropped = 0;
  let next = file.indexOf("\r\n");
  return (offset) => {
    while (next !== -1 && next - dropped < offset) {
      dropped++;
      next = file.indexOf("\r\n", next + 2);
    }
    return offset + dropped;
  };
}

/** The new text with the line ends of the text it replaces, or else of the file. */
function withEndsOf(file: string, replaced: string, put: string): string {
  const model = replaced.includes("\n") ? replaced : file;
  return mostlyCrlf(model) ? put.replaceAll("\n", "\r\n") : put;
}

function mostlyCrlf(text: string): boolean {
  const crlf = text.split("\r\n").length - 1;
  const all = text.split("\n").length - 1;
  return crlf > 0 && crlf * 2 >= all;
}

function countChanges(wanted: string, put: string, found: readonly number[]): { added: number; removed: number } {
  const one = changedLines(`${wanted}\n`, `${put}\n`);
  return { added: one.added * found.length, removed: one.removed * found.length };
}

function ambiguous(text: string, found: readonly number[], path: string): string {
  const lines = found.slice(0, 8).map((at) => lineNumberAt(text, at));
  const where = `${lines.join(", ")}${found.length > lines.length ? ", …" : ""}`;
  return `old_string occurs ${found.length} times in ${path} (lines ${where}). Add surrounding lines to make it unique, or set replace_all.`;
}
