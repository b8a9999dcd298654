import { isQuestion } from "./cues.ts";
import { smallWords } from "./words.ts";

/**
 * The stop words of a question. The index does not contain them, and each tells little, but among otherwise similar
 * lines they favour those phrased like the question.
 */
export interface SmallWords {
  readonly count: number;
  /** For each stop word, 1 if the text contains it, otherwise 0. Question words only count in questions. */
  readonly in: (text: string) => readonly number[];
}

export function smallWordsOf(query: string): SmallWords {
  const all = smallWords(query);
  return {
    count: all.length,
    in: (text) => {
      if (all.length === 0) return [];
      const there = new Set(text.toLowerCase().match(/[a-z]+/gu));
      const isAsked = isQuestion(text);
      return all.map(({ word, isAsking }) => (there.has(word) && (isAsked || !isAsking) ? 1 : 0));
    },
  };
}
