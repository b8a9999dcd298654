import type { Meaning } from "../meaning/meaning.ts";
import { NOTHING_NEAR } from "../meaning/nearest.ts";
import type { Memory } from "../memory.ts";
import { type Found, type FullText, type Lines, type Listed, MAX_COUNTED, type TextQuery } from "./full-text.ts";
import { type Question, type Ranked, type Reading, rank, readFor, type WeighedWord, weightOf } from "./ranking.ts";
import { smallWordsOf } from "./small-words.ts";
import { isFor, termFor } from "./terms.ts";
import { type IndexWord, isUnspaced, type QueryWord, queryWords } from "./words.ts";

export interface FindOptions {
  readonly text: FullText;
  /** Null or absent to search by words alone. */
  readonly meaning?: Pick<Meaning, "of" | "nearest" | "gone"> | null | undefined;
  readonly now: number;
}

export interface Asked {
  /** The question in a person's words. */
  readonly query: string;
  /** Index words of the audiences that the reader belongs to. */
  readonly readers: readonly IndexWord[];
  readonly limit: number;
}

export interface Hit {
  readonly memory: Memory;
  readonly score: number;
  /** How much of the question the memory covers, from 0 to 1. */
  readonly share: number;
}

/** Maximum length of a question in characters, and maximum number of distinct words looked up, the first ones. */
const MAX_CHARS = 4_000;
const MAX_WORDS = 24;
/** The maximum in scripts without spaces, where words are pairs of letters, which tell less each. */
const MAX_PAIRS = 72;
/** Maximum number of memories read; those with the rarest words. */
const MAX_READ = 100;
/** For how many of the best memories neighbouring lines are read, and how many lines before and after. */
const READ_BESIDE = 25;
const REACH = 2;
const NEAR = [-2, -1, 1, 2];
/** Number of common words that are looked up in pairs, the rarest first. */
const MAX_PAIRED = 3;

/** Finds the memories that best answer a question, in at most three statements; in none without a meaningful word. */
export async function find({ query, readers, limit }: Asked, { text, meaning, now }: FindOptions): Promise<Hit[]> {
  const most = isUnspaced(query) ? MAX_PAIRS : MAX_WORDS;
  const asked = queryWords(query.slice(0, MAX_CHARS), now).slice(0, most);
  if (asked.length === 0) return [];
  const lookups = [[], ...asked.flatMap(({ word, author }) => [[word], ...(author === null ? [] : [[author]])])];
  const [[all = NOTHING, ...lists], vector] = await Promise.all([
    text.lists(lookups.map((words) => queryFor(words, readers))),
    meaning?.of(query) ?? null,
  ]);
  if (all.count === 0) return [];
  const listed = new Map(lookups.slice(1).map(([word = ""], index) => [word, lists[index] ?? NOTHING]));
  const words = asked.map((word) => weighed(word, listed, all.count));
  const near = (vector === null ? null : meaning?.nearest(vector, readers)) ?? NOTHING_NEAR;
  const question: Question = {
    query,
    words,
    small: smallWordsOf(query.slice(0, MAX_CHARS)),
    meant: vector === null ? null : { vector, usual: near.usual },
    now,
  };
  const wanted = {
    seqs: promising(words, listed),
    near: near.seqs,
    query: pairsFor(words, listed).flatMap((pair) => queryFor(pair, readers)),
  };
  if (wanted.seqs.length + wanted.near.length + wanted.query.length === 0) return [];
  const read = (found: readonly Found[]) =>
    found.filter(({ terms }) => isFor(terms, readers)).map((one) => readFor(one, question));
  const there = await text.read(wanted);
  const seqs = new Set(there.map(({ seq }) => seq));
  meaning?.gone(near.seqs.filter((seq) => !seqs.has(seq)));
  const candidates = read(there);
  const first = rank(candidates, question);
  const lines = linesBeside(first.slice(0, READ_BESIDE), candidates);
  const beside = lines.length === 0 ? [] : read(await text.beside(lines));
  const known = new Set(candidates.map(({ found }) => found.seq));
  const further = beside.filter(({ found }) => !known.has(found.seq));
  const ranked = further.length === 0 ? first : rank([...candidates, ...further], question);
  return hitsOf(repeatsLast(ranked), limit);
}

const NOTHING: Listed = { seqs: [], count: 0 };

/** Query for the memories that any of the readers may read and that contain all the words. */
function queryFor(words: readonly IndexWord[], readers: readonly IndexWord[]): TextQuery {
  return readers.map((reader) => (words.length === 0 ? [reader] : words.map((word) => termFor(reader, word))));
}

function weighed(word: QueryWord, listed: ReadonlyMap<IndexWord, Listed>, total: number): WeighedWord {
  const count = listed.get(word.word)?.count ?? 0;
  const byAuthor = word.author === null ? 0 : (listed.get(word.author)?.count ?? 0);
  return {
    ...word,
    weight: weightOf(count, total),
    authorWeight: byAuthor === 0 ? 0 : weightOf(byAuthor, total),
    isUnknown: count + byAuthor === 0,
  };
}

/** The memories whose matching words have the greatest total weight. */
function promising(words: readonly WeighedWord[], listed: ReadonlyMap<IndexWord, Listed>): number[] {
  const sums = new Map<number, number>();
  const add = (word: IndexWord | null, weight: number) => {
    for (const seq of word === null ? [] : (listed.get(word)?.seqs ?? [])) sums.set(seq, (sums.get(seq) ?? 0) + weight);
  };
  for (const { word, author, weight, authorWeight } of words) {
    add(word, weight);
    add(author, authorWeight);
  }
  const ranked = [...sums].toSorted(([one, weight], [other, heavier]) => heavier - weight || other - one);
  return ranked.slice(0, MAX_READ).map(([seq]) => seq);
}

/**
 * Pairs to look up: common words that occur in more memories than were listed, and parts of unknown names, which may be
 * written differently elsewhere.
 */
function pairsFor(
  words: readonly WeighedWord[],
  listed: ReadonlyMap<IndexWord, Listed>,
): (readonly [IndexWord, IndexWord])[] {
  const common = words
    .flatMap(({ word, author }) => (author === null ? [word] : [word, author]))
    .map((word) => ({ word, ...(listed.get(word) ?? NOTHING) }))
    .filter(({ seqs, count }) => count > seqs.length && count < MAX_COUNTED)
    .toSorted((one, other) => one.count - other.count)
    .slice(0, MAX_PAIRED);
  const together = common.flatMap(({ word }, index) =>
    common.slice(index + 1).map((other): [IndexWord, IndexWord] => [word, other.word]),
  );
  const names = words.filter(({ isUnknown }) => isUnknown);
  const alike = names.flatMap(({ grams }) =>
    grams.slice(1).map((gram, index): [IndexWord, IndexWord] => [grams[index] ?? gram, gram]),
  );
  return [...together, ...alike];
}

/** The lines beside the best memories that have not been read yet. */
function linesBeside(best: readonly Ranked[], read: readonly Reading[]): Lines[] {
  const known = new Set(read.map(({ found }) => `${found.position} ${found.scope} ${found.source}`));
  return best.flatMap(({ found: { scope, source, position } }) => {
    if (position === null) return [];
    const missing = NEAR.some((step) => !known.has(`${position + step} ${scope} ${source}`));
    return missing ? [{ scope, source, from: position - REACH, to: position + REACH }] : [];
  });
}

/** Moves verbatim repetitions of a better-ranked text behind everything else. */
function repeatsLast(ranked: readonly Ranked[]): Ranked[] {
  const seen = new Set<string>();
  const { first = [], again = [] } = Object.groupBy(ranked, ({ found: { text } }) => {
    const words = text.trim().toLowerCase();
    if (seen.has(words)) return "again";
    seen.add(words);
    return "first";
  });
  return [...first, ...again];
}

function hitsOf(ranked: readonly Ranked[], limit: number): Hit[] {
  const hits: Hit[] = [];
  for (const { found, score, share } of ranked) {
    if (hits.length === limit) break;
    const memory = found.memory();
    if (memory !== null) hits.push({ memory, score, share });
  }
  return hits;
}
