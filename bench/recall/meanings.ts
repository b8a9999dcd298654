/**
 * A small model of meaning for the bench and the tests: listed synonyms are equal, and words with the same beginning
 * are similar. It knows only its table, so it is far weaker than any commercial model.
 */

/** Near-synonyms, one group a line; the first word represents the group. */
const THINGS = [
  "vendor supplier seller provider",
  "cost price fee charge expensive paid",
  "boss manager head lead supervisor chief",
  "failure outage crash breakdown down broke collapsed",
  "cellar basement vault downstairs underground",
  "holiday vacation leave away absent",
  "salary pay wage earnings",
  "doctor physician surgeon",
  "car automobile vehicle van",
  "purchase buy bought acquired ordered",
  "slow sluggish laggy crawling",
  "hire recruit employ onboard",
  "delete erase wipe purge removed",
  "deadline due cutoff finish",
  "customer client account buyer",
  "password credential login",
  "meeting call sync standup",
  "begin start launch kick",
  "fix repair mend patch",
  "illness sick flu unwell",
];

const SYNONYM = new Map(
  THINGS.flatMap((line) => {
    const words = line.split(" ");
    return words.map((word): [string, string] => [word, words[0] ?? word]);
  }),
);
const STOP = new Set(
  "a an and are as at by do does for from did had has have how in is it its of on our that the this to was we what when where which who with".split(
    " ",
  ),
);
const BEGIN = 5;

export interface MeaningModel {
  readonly dimensions: number;
  /** Share of words whose meaning the model does not know; 1 means all. */
  readonly ignorance: number;
}

export function meaningOf(text: string, { dimensions, ignorance }: MeaningModel): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  const words = (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP.has(word));
  for (const [place, word] of words.entries()) {
    const isKnown = chance(`known ${word}`) >= ignorance;
    // An unknown word gets a different meaning at each place.
    const thing = isKnown ? (SYNONYM.get(word) ?? word.slice(0, BEGIN)) : `${text} ${place}`;
    spread(vector, thing, 1);
  }
  if (words.length === 0) spread(vector, text, 1);
  return vector;
}

/** Adds a direction that is specific to one word. */
function spread(vector: number[], word: string, weight: number): void {
  let state = hashOf(word);
  for (let at = 0; at < vector.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    vector[at] = (vector[at] ?? 0) + weight * ((state >>> 8) / 2 ** 24 - 0.5);
  }
}

function chance(word: string): number {
  return (hashOf(word) >>> 0) / 2 ** 32;
}

/** Source: FNV-1a, with a final mix. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d);
  return hash ^ (hash >>> 13);
}
