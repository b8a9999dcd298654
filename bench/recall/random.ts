/** Random numbers from a seed: naming the same seed repeats a run. */
export interface Random {
  /** An integer from 0 up to, but not including, the limit. */
  below(limit: number): number;
  pick<T>(all: readonly T[]): T;
  shuffled<T>(all: readonly T[]): T[];
  /** A new capitalised word that was not used before. */
  name(): string;
}

const ONSETS = [
  "b",
  "br",
  "c",
  "d",
  "f",
  "g",
  "gl",
  "h",
  "j",
  "k",
  "l",
  "m",
  "n",
  "p",
  "r",
  "s",
  "st",
  "t",
  "tr",
  "v",
  "w",
];
const VOWELS = ["a", "e", "i", "o", "u", "ei", "ou"];
const ENDS = ["n", "l", "r", "x", "nd", "rk", "m", "st"];

/** Source: Mulberry32, by T. Ettinger. */
export function randomFrom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <T>(all: readonly T[]): T => {
    const one = all[below(all.length)];
    if (one === undefined) throw new Error("there is nothing to pick from");
    return one;
  };
  const given = new Set<string>();
  const name = (): string => {
    const word = `${pick(ONSETS)}${pick(VOWELS)}${pick(ONSETS)}${pick(VOWELS)}${pick(ENDS)}`;
    const made = word.charAt(0).toUpperCase() + word.slice(1);
    if (given.has(made)) return name();
    given.add(made);
    return made;
  };
  return {
    below,
    pick,
    name,
    shuffled: (all) =>
      all
        .map((one) => ({ one, at: next() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ one }) => one),
  };
}
