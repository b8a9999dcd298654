import { cut } from "../text/plain-text.ts";
/** A text that no person answers for. */
export interface ForeignText {
  readonly origin: string;
  readonly text: string;
}

/** Maximum length of a passage, in characters. */
const PASSAGE_CHARS = 160;
/** How much of each text is searched, in characters. */
const LOOKED_CHARS = 20_000;

/**
 * The passage most likely to have led to a call, for people to judge: the line that shares the most words with the
 * call, and among equals the longest line of the newest text. Null if there are no such texts. `texts`: oldest first.
 */
export function likeliestPassage(texts: readonly ForeignText[], call: string): ForeignText | null {
  const words = new Set(wordsOf(call));
  let best: { readonly origin: string; readonly line: string; readonly shared: number } | null = null;
  for (const { origin, text } of texts.toReversed()) {
    const lines = text.slice(0, LOOKED_CHARS).split("\n");
    const found = lines
      .map((line) => ({ origin, line: line.trim(), shared: sharedBy(line, words) }))
      .filter(({ line }) => line !== "" && !MARKER.test(line))
      .toSorted((a, b) => b.shared - a.shared || b.line.length - a.line.length)[0];
    if (found !== undefined && (best === null || found.shared > best.shared)) best = found;
  }
  if (best === null) return null;
  const { origin, line } = best;
  return { origin, text: cut(line, PASSAGE_CHARS) };
}

/** Markers around other people's words in a request. */
const MARKER = /^<\/?\w+_conversation/u;

function sharedBy(line: string, words: ReadonlySet<string>): number {
  return new Set(wordsOf(line).filter((word) => words.has(word))).size;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_-]{3,40}/gu) ?? [];
}
