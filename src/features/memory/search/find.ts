import type { Memory } from "../memory.ts";
import type { Found, FullText, Wanted } from "../store.ts";
import { type Database, written } from "./full-text.ts";
import { type Candidate, type Question, type Ranked, rank } from "./ranking.ts";
import { type IndexWord, type QueryWord, queryWords } from "./words.ts";

export interface FindOptions {
  readonly text: FullText;
  readonly database: Database;
  readonly found: (wanted: Wanted) => Promise<readonly Found[]>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Asked {
  /** In somebody's words. */
  readonly query: string;
  /** Words of the audiences that the reader belongs to. */
  readonly readers: readonly IndexWord[];
  readonly limit: number;
}

export interface Hit {
  readonly memory: Memory;
  readonly score: number;
  /** How much of what was asked for it holds by itself: 0 to 1. */
  readonly share: number;
}

/** Different words of a question that are looked for, the first. */
const MOST_WORDS = 40;
/** Memories that the words which find candidates stand in, together: rare words find them, common ones only rank. */
const MOST_FOUND = 3_000;
const MOST_CANDIDATES = 600;
/** How many of the best are read whole, and how many of these with the lines beside them, for each that is wanted. */
const READ = 3;
const READ_BESIDE = 2;
/** Lines before and after a hit. */
const REACH = 2;

/** What answers a question best. Three statements at most, and none where the question has no word that tells anything. */
export async function find(
  { query, readers, limit }: Asked,
  { text, database, found, now }: FindOptions,
): Promise<Hit[]> {
  const words = queryWords(query).slice(0, MOST_WORDS);
  if (words.length === 0) return [];
  const looked = [...new Set(words.flatMap(({ word, alike }) => [word, ...alike]))];
  const [total = 0, ...each] = await text.counts([
    written({ readers, any: null }, database),
    ...looked.map((word) => written({ readers: [word], any: null }, database)),
  ]);
  const counts = new Map(looked.map((word, index) => [word, each[index] ?? 0]));
  const any = finding(words, counts);
  if (total === 0 || any.length === 0) return [];
  const question: Question = { words, counts, total: Math.max(total, ...counts.values()), now };
  const candidates = await text.matching(written({ readers, any }, database), MOST_CANDIDATES);
  const first = rank(candidates, question);
  if (first.length === 0) return [];
  const read = await found(wantedOf(first, limit));
  const known = new Map(read.map((each) => [each.candidate.seq, each.memory]));
  const all = new Map(
    [...candidates, ...read.map(({ candidate }) => candidate).filter((one) => isFor(one, readers))].map((one) => [
      one.seq,
      one,
    ]),
  );
  return rank([...all.values()], question)
    .flatMap(({ candidate, score, share }) => {
      const memory = known.get(candidate.seq);
      return memory === undefined ? [] : [{ memory, score, share }];
    })
    .slice(0, limit);
}

/** What candidates are found by: the rarest words first, and for a name that nobody wrote so, how it is written elsewhere. */
function finding(words: readonly QueryWord[], counts: ReadonlyMap<IndexWord, number>): IndexWord[][] {
  const known = [...counts].filter(([, count]) => count > 0).toSorted(([, one], [, other]) => one - other);
  const rare: IndexWord[][] = [];
  let sum = 0;
  for (const [word, count] of known) {
    if (rare.length > 0 && sum + count > MOST_FOUND) break;
    rare.push([word]);
    sum += count;
  }
  const unknown = words.filter(({ word, alike }) => [word, ...alike].every((one) => (counts.get(one) ?? 0) === 0));
  const pairs = unknown.flatMap(({ grams }) => grams.slice(1).map((gram, index) => [grams[index] ?? gram, gram]));
  return [...rare, ...pairs];
}

function wantedOf(first: readonly Ranked<Candidate>[], limit: number): Wanted {
  const beside = first.slice(0, READ_BESIDE * limit).flatMap(({ candidate: { source, position } }) => {
    return position === null ? [] : [{ source, from: position - REACH, to: position + REACH }];
  });
  return { seqs: first.slice(0, READ * limit).map(({ candidate }) => candidate.seq), beside };
}

/** A line beside a hit may be for others. */
function isFor({ words }: Candidate, readers: readonly IndexWord[]): boolean {
  return readers.some((reader) => words.includes(reader));
}
