import { audienceWords } from "../audience.ts";
import type { NewMemory } from "../memory.ts";
import { authorWords, type IndexWord, indexWords, saidWords } from "./words.ts";

/** Characters of the audience's word that start each index word. Audiences may share them, so rows are checked, too. */
const OWN_CHARS = 6;
const PREFIX_CHARS = OWN_CHARS + 1;
const PREFIX_OF: Readonly<Record<string, string>> = { x: "p", y: "q" };

type IndexedFields = Pick<
  NewMemory,
  "scope" | "isPrivate" | "channelKey" | "workspace" | "origin" | "author" | "text" | "said"
>;

/**
 * A memory's text for the full-text index: for each audience, the memory's words prefixed with that audience, then the
 * audience's own word. So a search only touches what its reader may read, however much else there is. For the first
 * audience, the words keep their order and repetitions.
 */
export function termsOf(memory: IndexedFields): string {
  const { author, text, said } = memory;
  const words = [...authorWords(author.name), ...saidWords(said), ...indexWords(text, said)];
  const [first = "", ...others] = audienceWords(memory);
  const all = [...words.map((word) => termFor(first, word)), first];
  for (const other of others) all.push(...[...new Set(words)].map((word) => termFor(other, word)), other);
  return all.join(" ");
}

/** The index word for a word as an audience finds it. */
export function termFor(audience: IndexWord, word: IndexWord): string {
  return `${PREFIX_OF[audience.slice(0, 1)] ?? "p"}${audience.slice(1, PREFIX_CHARS)}${word}`;
}

/** The prefix of a memory's words, as it was indexed. */
export function prefixOf(terms: string): string {
  return terms.slice(0, PREFIX_CHARS);
}

/** Whether one of the readers belongs to a memory's audiences. */
export function isFor(terms: string, readers: readonly IndexWord[]): boolean {
  // An audience's word follows the words that it finds; it comes first only if there are none.
  return readers.some(
    (reader) => terms.endsWith(` ${reader}`) || terms.includes(` ${reader} `) || terms.split(" ", 1)[0] === reader,
  );
}

/** How often words occur in sequence in a memory. A space follows every word, since an audience's word comes last. */
export function timesIn(terms: string, words: readonly IndexWord[]): number {
  const prefix = prefixOf(terms);
  const wanted = words.map((word) => `${prefix}${word} `).join("");
  let times = 0;
  for (let at = terms.indexOf(wanted); at >= 0; at = terms.indexOf(wanted, at + wanted.length)) times += 1;
  return times;
}
