import { HALF_LIFE_MS, type Kind } from "../memory.ts";
import type { IndexWord, QueryWord } from "./words.ts";

/** What ranking needs of a memory. */
export interface Candidate {
  readonly seq: number;
  readonly words: readonly IndexWord[];
  readonly kind: Kind;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
  readonly helped: number;
  readonly isPinned: boolean;
  /** Something else took its place. */
  readonly isOver: boolean;
  readonly source: string;
  readonly position: number | null;
}

export interface Ranked<C extends Candidate> {
  readonly candidate: C;
  readonly score: number;
  /** How much of what was asked for it holds by itself: 0 to 1. */
  readonly share: number;
}

export interface Question {
  readonly words: readonly QueryWord[];
  /** In how many memories each word of the index stands, as far as they were counted. */
  readonly counts: ReadonlyMap<IndexWord, number>;
  /** How many memories may be read, as far as they were counted. */
  readonly total: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Source: S. Robertson, H. Zaragoza, “The Probabilistic Relevance Framework: BM25 and Beyond”, 2009. */
const K1 = 1.2;
const B = 0.75;
/** What a hit lends to the lines before and after it, by their distance. */
const LIFT = [0, 0.4, 0.15];
/** How much alike a name must be to count as one that is written otherwise. */
const ALIKE = 0.5;
/** The words that tell most, of which a share is counted: a long message asks for no more. */
const SHARED_WORDS = 8;
/** What no longer holds answers only where nothing else does. */
const OVER = 0.5;
const KIND_WEIGHT: Readonly<Record<Kind, number>> = { working: 0.9, episodic: 1, semantic: 1.1, procedural: 1.1 };
/** Helpfulness moves a score by no more. */
const MOST_HELP = 5;
const HELP_STEP = 0.1;

/** How much a word tells: one that stands everywhere tells nothing. */
export function weightOf(count: number, total: number): number {
  return Math.log(1 + (Math.max(total, count) - count + 0.5) / (count + 0.5));
}

/** Candidates by how well they answer, the best first. Half-lives rank; they hide nothing. */
export function rank<C extends Candidate>(candidates: readonly C[], question: Question): Ranked<C>[] {
  const lengths = candidates.map(({ words }) => words.filter((word) => word.startsWith("w")).length);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const weights = question.words.map((word) => weightOf(countOf(word, question.counts), question.total));
  const asked = weights.filter((_, index) => isKnown(question.words[index], question.counts));
  const all = asked
    .toSorted((one, other) => other - one)
    .slice(0, SHARED_WORDS)
    .reduce((sum, weight) => sum + weight, 0);
  const own = candidates.map((candidate, index) => {
    const matched = question.words.map((word) => occurrences(word, candidate.words, question.counts));
    const norm = K1 * (1 - B + (B * (lengths[index] ?? 0)) / Math.max(1, mean));
    const relevance = matched.reduce((sum, tf, at) => sum + ((weights[at] ?? 0) * tf * (K1 + 1)) / (tf + norm), 0);
    const held = matched.reduce((sum, tf, at) => sum + (weights[at] ?? 0) * Math.min(1, tf), 0);
    const share = all === 0 ? 0 : Math.min(1, held / all);
    return { candidate, relevance, share };
  });
  const lifts = liftsOf(own);
  return own
    .map(({ candidate, relevance, share }, index) => {
      const score = (relevance + (lifts[index] ?? 0)) * standing(candidate, question.now);
      return { candidate, score, share };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || other.candidate.seq - one.candidate.seq);
}

/** A word's own occurrences and those of what means it; a name that is written otherwise counts in part. */
function occurrences(
  { word, alike, grams }: QueryWord,
  words: readonly IndexWord[],
  counts: Question["counts"],
): number {
  const found = words.filter((each) => each === word || alike.includes(each)).length;
  if (found > 0 || grams.length === 0 || (counts.get(word) ?? 0) > 0) return found;
  const shared = grams.filter((gram) => words.includes(gram)).length / grams.length;
  return shared >= ALIKE ? shared : 0;
}

function isKnown(word: QueryWord | undefined, counts: Question["counts"]): boolean {
  return word !== undefined && countOf(word, counts) > 0;
}

function countOf({ word, alike }: QueryWord, counts: Question["counts"]): number {
  return [word, ...alike].reduce((sum, each) => sum + (counts.get(each) ?? 0), 0);
}

/** A hit lifts the lines beside it: what answers a question often stands one line below. */
function liftsOf(own: readonly { readonly candidate: Candidate; readonly relevance: number }[]): number[] {
  const at = new Map<string, number>();
  for (const { candidate, relevance } of own) {
    if (candidate.position !== null) at.set(`${candidate.position} ${candidate.source}`, relevance);
  }
  return own.map(({ candidate: { position, source } }) => {
    if (position === null) return 0;
    const near = [-2, -1, 1, 2].map(
      (step) => (at.get(`${position + step} ${source}`) ?? 0) * (LIFT[Math.abs(step)] ?? 0),
    );
    return Math.max(...near);
  });
}

/** What age, kind and former uses make of a memory's relevance. */
function standing({ kind, usedAt, helped, isPinned, isOver }: Candidate, now: number): number {
  const age = Math.max(0, now - usedAt);
  const decay = isPinned ? 1 : 2 ** (-age / HALF_LIFE_MS[kind]);
  const help = 1 + HELP_STEP * Math.max(-MOST_HELP, Math.min(MOST_HELP, helped));
  return (0.3 + 0.7 * decay) * KIND_WEIGHT[kind] * help * (isOver ? OVER : 1);
}
