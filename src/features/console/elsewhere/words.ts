import { z } from "zod";
import { fromJson } from "../../../core/text/from-json.ts";

/**
 * What processes tell each other of runs. `ask`: pages show these sessions, or lists of all; `anew`: from their answers'
 * beginning. `changed`: what these sessions hold is another now. `ended`: nothing is written there any more. `text`: words of
 * an answer, in place of all that there is of it from `at` on.
 */
const wordSchema = z.union([
  z.strictObject({ ask: z.array(z.string()), anew: z.boolean() }),
  z.strictObject({ changed: z.array(z.string()) }),
  z.strictObject({ ended: z.array(z.string()) }),
  z.strictObject({ text: z.string(), sessionId: z.string(), answer: z.string(), at: z.int().nonnegative() }),
]);

export type Word = z.infer<typeof wordSchema>;

/** Sessions, and characters, of one word: in JSON, a character is six bytes at most. */
const MOST = { sessions: 50, chars: 600 };
/** Null for what another release tells. */
export function readWord(about: string): Word | null {
  return wordSchema.safeParse(fromJson(about)).data ?? null;
}

/** As many words as it takes. */
export function inWords(ids: readonly string[], word: (some: string[]) => Word): Word[] {
  const words: Word[] = [];
  for (let from = 0; from < ids.length; from += MOST.sessions) words.push(word(ids.slice(from, from + MOST.sessions)));
  return words;
}

export function textInWords({ text, at, ...rest }: Extract<Word, { text: string }>): Word[] {
  const words: Word[] = [];
  for (let from = 0; from < text.length || from === 0; from += MOST.chars)
    words.push({ ...rest, at: at + from, text: text.slice(from, from + MOST.chars) });
  return words;
}
