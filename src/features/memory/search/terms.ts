import { audienceWords } from "../audience.ts";
import type { NewMemory } from "../memory.ts";
import { authorWords, type IndexWord, indexWords, saidWords } from "./words.ts";

/** Characters of an audience's word that begin each word it may find. Two audiences may share them, so rows are looked at too. */
const OWN_CHARS = 6;
const PREFIX_CHARS = OWN_CHARS + 1;
const PREFIX_OF: Readonly<Record<string, string>> = { x: "p", y: "q" };

type Told = Pick<NewMemory, "scope" | "isPrivate" | "channelKey" | "workspace" | "origin" | "author" | "text" | "said">;

/**
 * A memory as the full-text index has it: the words of its audiences, then each word of the memory once for each
 * audience, beginning with what stands for that audience. So a search goes to what its reader may read and to nothing
 * else, however much there is. The words of the first audience are in order and as often as they stand in the text.
 */
export function termsOf(memory: Told): string {
  const { author, text, said } = memory;
  const words = [...authorWords(author.name), ...saidWords(said), ...indexWords(text, said)];
  const [first = "", ...others] = audienceWords(memory);
  const all = [...words.map((word) => termFor(first, word)), first];
  for (const other of others) all.push(...[...new Set(words)].map((word) => termFor(other, word)), other);
  return all.join(" ");
}

/** The word of the index by which an audience finds a word. */
export function termFor(audience: IndexWord, word: IndexWord): string {
  return `${PREFIX_OF[audience.slice(0, 1)] ?? "p"}${audience.slice(1, PREFIX_CHARS)}${word}`;
}

/** How the words of a memory begin, as it was indexed. */
export function prefixOf(terms: string): string {
  return terms.slice(0, PREFIX_CHARS);
}

/** Whether one of the readers is of a memory's audiences. */
export function isFor(terms: string, readers: readonly IndexWord[]): boolean {
  // The word of an audience stands behind those that it is found by: first only where there are none.
  return readers.some(
    (reader) => terms.endsWith(` ${reader}`) || terms.includes(` ${reader} `) || terms.split(" ", 1)[0] === reader,
  );
}

/** How often words stand one after the other in a memory. Each word of the index has one behind it: an audience's is the last. */
export function timesIn(terms: string, words: readonly IndexWord[]): number {
  const prefix = prefixOf(terms);
  const wanted = words.map((word) => `${prefix}${word} `).join("");
  let times = 0;
  for (let at = terms.indexOf(wanted); at >= 0; at = terms.indexOf(wanted, at + wanted.length)) times += 1;
  return times;
}
