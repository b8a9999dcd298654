import type { Pattern } from "./pattern.ts";

/** A line of a text by offsets: from `start` up to `end`, which excludes the line end. */
export interface Line {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/** Yields the lines that match by themselves, as grep does. */
export function* matchingLines(text: string, pattern: Pattern): Generator<Line> {
  if (pattern.looksAround) yield* everyMatchingLine(text, pattern.regex);
  else yield* foundLines(text, pattern.regex);
}

function* everyMatchingLine(text: string, regex: RegExp): Generator<Line> {
  for (let line = firstLine(text); line !== null; line = nextLine(text, line)) {
    if (matches(regex, text, line)) yield line;
  }
}

/**
 * Searches the whole text at once, which is much faster than line by line. Without look-around, a line that matches by
 * itself also matches within the text. The reverse may fail (`\s` matches line ends), so the line of each match is
 * tested by itself.
 */
function* foundLines(text: string, regex: RegExp): Generator<Line> {
  let line = firstLine(text);
  let from = 0;
  while (line !== null) {
    regex.lastIndex = from;
    const found = regex.exec(text);
    if (found === null) return;
    while (line !== null && lineEnd(text, line) < found.index) line = nextLine(text, line);
    if (line === null) return;
    if (matches(regex, text, line)) yield line;
    line = nextLine(text, line);
    if (line !== null) from = line.start;
  }
}

function matches(regex: RegExp, text: string, line: Line): boolean {
  regex.lastIndex = 0;
  return regex.test(text.slice(line.start, line.end));
}

/** Yields the lines that matches cover, for patterns that may match across line ends. */
export function* coveredLines(text: string, regex: RegExp): Generator<Line> {
  let line = firstLine(text);
  regex.lastIndex = 0;
  for (let found = regex.exec(text); found !== null && line !== null; found = regex.exec(text)) {
    const last = found.index + Math.max(found[0].length - 1, 0);
    while (line !== null && lineEnd(text, line) < found.index) line = nextLine(text, line);
    while (line !== null && line.start <= last) {
      yield line;
      line = nextLine(text, line);
    }
    if (found[0] === "") regex.lastIndex++;
  }
}

export function firstLine(text: string): Line | null {
  return text === "" ? null : lineFrom(text, 1, 0);
}

export function nextLine(text: string, line: Line): Line | null {
  const start = lineEnd(text, line) + 1;
  return start >= text.length ? null : lineFrom(text, line.number + 1, start);
}

/** Offset of the line's LF, or of the end of the text. */
function lineEnd(text: string, line: Line): number {
  return text[line.end] === "\r" && text[line.end + 1] === "\n" ? line.end + 1 : line.end;
}

function lineFrom(text: string, number: number, start: number): Line {
  const lf = text.indexOf("\n", start);
  const end = lf === -1 ? text.length : lf;
  return { number, start, end: lf !== -1 && lf > start && text[lf - 1] === "\r" ? lf - 1 : end };
}
