/** A text that nobody answers for. */
export interface ForeignText {
  readonly origin: string;
  readonly text: string;
}

/** Characters of a passage. */
const PASSAGE_CHARS = 160;
/** Characters of each text that are looked through. */
const LOOKED_CHARS = 20_000;

/**
 * The passage that most likely led to a call, for people to judge: the line, of the newest text that has one, which shares most
 * words with the call. Null when there are no such texts. `texts`: oldest first.
 */
export function likeliestPassage(texts: readonly ForeignText[], call: string): ForeignText | null {
  const words = new Set(wordsOf(call));
  let best: { readonly origin: string; readonly line: string; readonly shared: number } | null = null;
  for (const { origin, text } of texts.toReversed()) {
    for (const line of text.slice(0, LOOKED_CHARS).split("\n")) {
      if (line.trim() === "") continue;
      const shared = new Set(wordsOf(line).filter((word) => words.has(word))).size;
      if (best === null || shared > best.shared) best = { origin, line: line.trim(), shared };
    }
  }
  if (best === null) return null;
  const { origin, line } = best;
  return { origin, text: line.length > PASSAGE_CHARS ? `${line.slice(0, PASSAGE_CHARS).toWellFormed()}…` : line };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_-]{3,40}/gu) ?? [];
}
