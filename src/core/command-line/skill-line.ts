import type { GivenArguments } from "../skills/skill-arguments.ts";
import { shellWords } from "./shell-words.ts";

/**
 * Parses what a person typed after a skill's name. Plain sentences, in which an apostrophe opens no quote, are split at
 * blanks.
 */
export function skillArguments(line: string): GivenArguments {
  const split = shellWords(line);
  const values = split.type === "words" ? split.words.map(({ text }) => text) : line.split(/\s+/);
  return { values, raw: line };
}
