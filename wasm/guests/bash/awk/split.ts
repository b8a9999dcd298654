import { awkPattern } from "./patterns.ts";

/** The separators that a splitter found between the parts; those around the parts come first and last. */
export interface Split {
  readonly parts: string[];
  readonly separators: string[];
}

const splitters = new Map<string, (text: string) => string[]>();
const MAX_SPLITTERS = 100;

/** How a separator splits a record: white space for a space, one character as it is, longer ones as patterns. */
export function splitterOf(separator: string, isParagraph = false): (text: string) => string[] {
  const key = `${isParagraph ? "p" : ""}/${separator}`;
  const found = splitters.get(key) ?? newSplitter(separator, isParagraph);
  if (splitters.size > MAX_SPLITTERS) splitters.clear();
  splitters.set(key, found);
  return found;
}

function newSplitter(separator: string, isParagraph: boolean): (text: string) => string[] {
  if (separator === " ") return splitWords;
  if (separator === "") return (text) => Array.from(text);
  if (separator.length > 1) {
    const pattern = awkPattern(separator, "g");
    return (text) => partsBetween(text, pattern).parts;
  }
  const splits = (text: string) => (text === "" ? [] : text.split(separator));
  return isParagraph && separator !== "\n" ? (text) => text.split("\n").flatMap(splits) : splits;
}

/** Splits a record into fields as is done by default, at white space. */
export function splitWords(text: string): string[] {
  return text.match(/[^ \t\n]+/g) ?? [];
}

/** The parts between the matches of a pattern; empty matches separate nothing. */
export function partsBetween(text: string, pattern: RegExp): Split {
  const split: Split = { parts: [], separators: [] };
  if (text === "") return split;
  let from = 0;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const { 0: separator, index } = found;
    if (separator === "") {
      pattern.lastIndex += 1;
      continue;
    }
    split.parts.push(text.slice(from, index));
    split.separators.push(separator);
    from = index + separator.length;
  }
  split.parts.push(text.slice(from));
  return split;
}

/** The parts that match a pattern; something separates an empty one from the part before it. */
export function partsMatching(text: string, pattern: RegExp): Split {
  const split: Split = { parts: [], separators: [] };
  let end = 0;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const { 0: part, index } = found;
    if (part === "" && index === end && split.parts.length > 0) {
      if (end >= text.length) break;
      pattern.lastIndex = end + 1;
      continue;
    }
    split.separators.push(text.slice(end, index));
    split.parts.push(part);
    end = index + part.length;
  }
  split.separators.push(text.slice(end));
  return split;
}
