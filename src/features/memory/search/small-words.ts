import { isQuestion } from "./cues.ts";
import { smallWords } from "./words.ts";

/**
 * The words of a question that stand in every sentence. The index has none of them, and each tells little; among lines that
 * are alike in all else they tell which is said the way that the question is.
 */
export interface SmallWords {
  readonly count: number;
  /** For each of them, whether a text has it: 1 or 0. What only asks counts where something is asked. */
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
