import { linesWithEnds, Refusal } from "../text/command.ts";

/** Lines with their ends; the last line of a file may have none. */
export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly { readonly sign: " " | "-" | "+"; readonly text: string }[];
}

/** A file before or after a change. */
export interface Side {
  /** Null if the file does not exist there. */
  readonly name: string | null;
  /** What the diff says of it behind `--- ` or `+++ `. */
  readonly header: string;
}

export interface FilePatch {
  readonly before: Side;
  readonly after: Side;
  readonly hunks: readonly Hunk[];
}

const SIDE = /^(?:---|\+\+\+) (([^\t\n]+)(\t1970-01-01 00:00:00[^\n]*)?[^\n]*)/;
const NO_FILE = "/dev/null";
const RANGE = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const OTHER = /^(?:\*{3} \d+(?:,\d+)? \*{4}|\d+(?:,\d+)?[acd]\d+(?:,\d+)?|GIT binary patch|rename (?:from|to) .*)$/m;
const TROUBLE = 2;

/** Parses unified diffs and ignores the text between them. */
export function patchesIn(text: string): FilePatch[] {
  const lines = linesWithEnds(text);
  const patches: FilePatch[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [before, after] = [sideOf(lines[at]), sideOf(lines[at + 1])];
    if (before === null || after === null || !RANGE.test(lines[at + 2] ?? "")) continue;
    const hunks: Hunk[] = [];
    for (at += 2; RANGE.test(lines[at] ?? ""); ) {
      const { hunk, end } = hunkAt(lines, at);
      hunks.push(hunk);
      at = end;
    }
    patches.push({ before, after, hunks });
    at--;
  }
  if (patches.length === 0 && OTHER.test(text)) throw new Refusal("only unified diffs are known here", TROUBLE);
  return patches;
}

/** A file that `diff -N` does not find has the oldest time. */
function sideOf(line = ""): Side | null {
  const [, header, name = "", missing] = SIDE.exec(line) ?? [];
  if (header === undefined) return null;
  return { header, name: name === NO_FILE || missing !== undefined ? null : name };
}

function hunkAt(lines: readonly string[], start: number): { readonly hunk: Hunk; readonly end: number } {
  const [, oldStart, oldCount = "1", newStart, newCount = "1"] = RANGE.exec(lines[start] ?? "") ?? [];
  let [olds, news, at] = [Number(oldCount), Number(newCount), start + 1];
  const found: { sign: " " | "-" | "+"; text: string }[] = [];
  for (; olds > 0 || news > 0 || lines[at]?.startsWith("\\") === true; at++) {
    const line = lines[at] ?? "";
    const last = found.at(-1);
    if (line.startsWith("\\") && last !== undefined) {
      last.text = last.text.replace(/\n$/, "");
      continue;
    }
    const sign = line === "\n" ? " " : line.charAt(0);
    if (sign !== " " && sign !== "-" && sign !== "+")
      throw new Refusal(`**** malformed patch at line ${at + 1}: ${line.trimEnd()}`, TROUBLE);
    if (sign !== "+") olds--;
    if (sign !== "-") news--;
    found.push({ sign, text: line === "\n" ? line : line.slice(1) });
  }
  return { hunk: { oldStart: Number(oldStart), newStart: Number(newStart), lines: found }, end: at };
}

/** The patch that undoes a patch. */
export function reversed({ before, after, hunks }: FilePatch): FilePatch {
  const opposite = { " ": " ", "-": "+", "+": "-" } as const;
  return {
    before: after,
    after: before,
    hunks: hunks.map(({ oldStart, newStart, lines }) => ({
      oldStart: newStart,
      newStart: oldStart,
      lines: lines.map(({ sign, text }) => ({ sign: opposite[sign], text })),
    })),
  };
}

export const oldLines = ({ lines }: Hunk): string[] => lines.filter(({ sign }) => sign !== "+").map(({ text }) => text);
export const newLines = ({ lines }: Hunk): string[] => lines.filter(({ sign }) => sign !== "-").map(({ text }) => text);

interface Search {
  /** Index at which the hunk should be. */
  readonly guess: number;
  /** Index of the first line that no earlier hunk has changed. */
  readonly from: number;
  /** Lines of context at either end that may differ. */
  readonly fuzz: number;
}

/** Where the old lines of a hunk are, and how many lines at either end are left as they are; null if nowhere. */
export function placeOf(
  file: readonly string[],
  hunk: Hunk,
  { guess, from, fuzz }: Search,
): { readonly at: number; readonly head: number; readonly tail: number } | null {
  const old = oldLines(hunk);
  const prefix = hunk.lines.findIndex(({ sign }) => sign !== " ");
  const suffix = hunk.lines.length - 1 - hunk.lines.findLastIndex(({ sign }) => sign !== " ");
  const context = Math.max(prefix, suffix);
  if (fuzz > context) return null;
  const [before, after] = [fuzz + prefix - context, fuzz + suffix - context];
  const [head, tail] = [Math.max(before, 0), Math.max(after, 0)];
  const core = old.slice(head, old.length - tail);
  const matches = (at: number) =>
    at + head >= from &&
    at >= 0 &&
    at + head + core.length <= file.length &&
    core.every((line, index) => file[at + head + index] === line);
  // Less context at one end means that the hunk is at that end of the file.
  if (before < 0 && hunk.oldStart <= 1) return matches(0) ? { at: 0, head, tail } : null;
  if (after < 0) return matches(file.length - old.length) ? { at: file.length - old.length, head, tail } : null;
  for (let offset = 0; offset <= Math.max(file.length, guess); offset++)
    for (const at of [guess + offset, guess - offset]) if (matches(at)) return { at, head, tail };
  return null;
}
