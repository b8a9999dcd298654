import type { GivenArguments } from "../skills/skill-arguments.ts";
import { shellWords } from "./shell-words.ts";

/** What was typed after a skill's name. Sentences, where an apostrophe is no quote, split at blanks. */
export function skillArguments(line: string): GivenArguments {
  const split = shellWords(line);
  const values = split.type === "words" ? split.words.map(({ text }) => text) : line.split(/\s+/);
  return { values, raw: line };
}
