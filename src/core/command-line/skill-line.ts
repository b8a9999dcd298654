import type { GivenArguments } from "../skills/skill-arguments.ts";
import { shellWords } from "./shell-words.ts";

/** What a person typed after a skill's name. Plain sentences may hold an apostrophe that no quote closes. */
export function skillArguments(line: string): GivenArguments {
  const split = shellWords(line);
  const values = split.type === "words" ? split.words.map(({ text }) => text) : line.split(/\s+/);
  return { values, raw: line };
}
