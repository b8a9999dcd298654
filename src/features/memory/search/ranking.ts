import { HALF_LIFE_MS, type Kind } from "../memory.ts";
import { asksWhen, isQuestion, mentionsTime } from "./cues.ts";
import type { Found } from "./full-text.ts";
import { type QueryMeaning, similarityScores } from "./similarity-scores.ts";
import type { SmallWords } from "./small-words.ts";
import { timesIn } from "./terms.ts";
import type { IndexWord, QueryWord } from "./words.ts";

export interface Ranked {
  readonly found: Found;
  readonly score: number;
  /** How much of the question it covers, by itself or with the line before it, from 0 to 1. */
  readonly share: number;
}

/** A word of a question and its weight. */
export interface WeighedWord extends QueryWord {
  readonly weight: number;
  /** Weight of the word as an author's name; 0 if it is nobody's. */
  readonly authorWeight: number;
  /** No readable memory contains the word. */
  readonly isUnknown: boolean;
}

export interface Question {
  readonly query: string;
  readonly words: readonly WeighedWord[];
  readonly small: SmallWords;
  /** Null to search by words alone. */
  readonly meant: QueryMeaning | null;
  readonly now: number;
}

/** Source: S. Robertson, H. Zaragoza, “The Probabilistic Relevance Framework: BM25 and Beyond”, 2009. */
const K1 = 1.2;
const B = 0.5;
/**
 * Part of a hit's score that neighbouring lines get for words that they lack; most for the line after it, since an
 * answer seldom repeats the question. Like all numbers here, tuned on one half of a collection of long conversations
 * and checked on the other half.
 */
const LENT: readonly { readonly step: number; readonly part: number }[] = [
  { step: 1, part: 0.6 },
  { step: -1, part: 0.4 },
  { step: 2, part: 0.3 },
  { step: -2, part: 0.15 },
];
/** Part of a conversation's best lines that all its lines of the same day get. */
const TALK_BEST = 3;
const TALK_PART = 0.5;
/** Weight of an author's name in the question; rare names are capped. */
const AUTHOR_PART = 2;
const MAX_AUTHOR = 4;
const AUTHOR_FACTOR = 1.1;
/** Weight of two words that are adjacent in both the question and the memory. */
const PAIR_PART = 0.4;
/**
 * Share of the best word score that the closest meaning adds. Words stay ahead if they find much, so that a poor model
 * does little harm.
 */
const MEANT_PART = 0.4;
/** Weight of a stop word relative to other words that are as rare among the memories read. */
const SMALL_PART = 0.5;
const WHEN_FACTOR = 1.3;
const QUESTION_FACTOR = 0.8;
/** Loss of an empty text, and the length at which about a third of that loss remains. */
const SHORT_LOSS = 0.2;
const SHORT_CHARS = 50;
/** Minimum similarity for a name to count as a variant spelling. */
const ALIKE = 0.5;
/** Part of the preceding line's coverage that counts for a line. */
const LENT_SHARE = 0.6;
/** Number of words with the most weight by which coverage is measured, so that a long message does not ask for more. */
const SHARED_WORDS = 8;
/** Factor for replaced memories, which should only win if nothing else answers. */
const OVER = 0.5;
const KIND_WEIGHT: Readonly<Record<Kind, number>> = { working: 0.9, episodic: 1, semantic: 1.1, procedural: 1.1 };
/** Maximum effect of helpfulness on a score, in steps. */
const MAX_HELP = 5;
const HELP_STEP = 0.1;

/** Weight of a word: the more memories contain it, the less it tells. */
export function weightOf(count: number, total: number): number {
  return Math.log(1 + (Math.max(total, count) - count + 0.5) / (count + 0.5));
}

/** How one memory matches a question. */
export interface Reading {
  readonly found: Found;
  /** How often each word of the question occurs. */
  readonly times: readonly number[];
  /** The same for its stop words, as 1 or 0. */
  readonly small: readonly number[];
  /** For each word, whether it is a name of the author. */
  readonly saidBy: readonly boolean[];
  /** Sum of weights of the question's word pairs that are adjacent in the memory. */
  readonly pairs: number;
}

export function readFor(found: Found, { words, small }: Question): Reading {
  const { terms } = found;
  const times = words.map(({ word, grams, isUnknown }) =>
    isUnknown ? alikeness(grams, terms) : timesIn(terms, [word]),
  );
  const saidBy = words.map(({ author, authorWeight }) => {
    return author !== null && authorWeight > 0 && timesIn(terms, [author]) > 0;
  });
  const pairs = words.reduce((sum, { word, weight }, index) => {
    const next = words[index + 1];
    if (next === undefined || times[index] === 0 || times[index + 1] === 0) return sum;
    return timesIn(terms, [word, next.word]) > 0 ? sum + Math.min(weight, next.weight) : sum;
  }, 0);
  return { found, times, small: small.in(found.text), saidBy, pairs };
}

/** Similarity of a name to a variant spelling, as a partial match. */
function alikeness(grams: readonly IndexWord[], terms: string): number {
  if (grams.length === 0) return 0;
  const shared = grams.filter((gram) => timesIn(terms, [gram]) > 0).length / grams.length;
  return shared >= ALIKE ? shared : 0;
}

/** Ranks memories by how well they answer, best first. Half-lives affect ranks but hide nothing. */
export function rank(readings: readonly Reading[], question: Question): Ranked[] {
  const mean = readings.reduce((sum, { found }) => sum + found.text.length, 0) / Math.max(1, readings.length);
  const weights = [...question.words.map(({ weight }) => weight), ...smallWeights(readings, question)];
  const byWord = readings.map((reading) => relevanceOf(reading, weights, mean));
  const own = byWord.map((words) => words.reduce((sum, word) => sum + word, 0));
  const lending = readings.map(({ times, found }, index) => {
    // A question also passes its stop words on to the lines that answer it; other lines do not.
    const words = byWord[index] ?? [];
    return isQuestion(found.text) ? words : words.slice(0, times.length);
  });
  const line = surroundings(readings);
  const talks = talkBests(readings, own);
  const shares = sharesOf(readings, question);
  const byTime = asksWhen(question.query);
  const nears = readings.map((_, index) => {
    const neighbours = LENT.map(({ step, part }) => ({ part, words: lending[line(index, step)] ?? [] }));
    return (own[index] ?? 0) + lent(byWord[index] ?? [], neighbours);
  });
  const byWords = readings.map((reading, index) => (nears[index] ?? 0) + ownScore(reading, question));
  const best = byWords.reduce((most, relevance) => Math.max(most, relevance), 0);
  const alike = similarityScores(question.meant, readings);
  return readings
    .map((reading, index) => {
      const { found } = reading;
      const lentAlike = LENT.map(({ step, part }) => part * (alike[line(index, step)]?.part ?? 0));
      const meant = Math.max(alike[index]?.part ?? 0, ...lentAlike);
      const relevance = (byWords[index] ?? 0) + MEANT_PART * (best || 1) * meant;
      const lentShare = (nears[index] ?? 0) > 0 ? LENT_SHARE * (shares[line(index, 1)] ?? 0) : 0;
      const talk = relevance > 0 ? TALK_PART * (talks.get(talkOf(found)) ?? 0) : 0;
      return {
        found,
        score: (relevance + talk) * cues(reading, byTime) * standing(found, question.now),
        share: Math.max(shares[index] ?? 0, lentShare, alike[index]?.share ?? 0),
      };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || other.found.seq - one.found.seq);
}

/** Weights of the stop words: high if few of the memories read contain them. */
function smallWeights(readings: readonly Reading[], { small: { count } }: Question): number[] {
  return Array.from({ length: count }, (_, word) => {
    const times = readings.reduce((sum, { small }) => sum + (small[word] ?? 0), 0);
    return SMALL_PART * weightOf(times, readings.length);
  });
}

/** BM25 score of each word of the question, then of each stop word. */
function relevanceOf({ times, small, found }: Reading, weights: readonly number[], mean: number): number[] {
  const norm = K1 * (1 - B + (B * found.text.length) / Math.max(1, mean));
  return [...times, ...small].map((often, index) => ((weights[index] ?? 0) * often * (K1 + 1)) / (often + norm));
}

/** Score that a line gets from its neighbours for words that it lacks. */
function lent(
  own: readonly number[],
  neighbours: readonly { readonly part: number; readonly words: readonly number[] }[],
): number {
  return own.reduce((sum, relevance, word) => {
    return relevance > 0 ? sum : sum + Math.max(...neighbours.map(({ part, words }) => part * (words[word] ?? 0)));
  }, 0);
}

/** Score for the author's name and for adjacent words, which is not passed on to neighbours. */
function ownScore({ saidBy, pairs }: Reading, { words }: Question): number {
  const byName = words.reduce((sum, { authorWeight }, index) => {
    return saidBy[index] === true ? sum + Math.min(MAX_AUTHOR, AUTHOR_PART * authorWeight) : sum;
  }, 0);
  return byName + PAIR_PART * pairs;
}

function cues({ found: { text }, saidBy }: Reading, byTime: boolean): number {
  const time = byTime && mentionsTime(text) ? WHEN_FACTOR : 1;
  const asking = isQuestion(text) ? QUESTION_FACTOR : 1;
  const author = saidBy.includes(true) ? AUTHOR_FACTOR : 1;
  return time * asking * author * (1 - SHORT_LOSS * Math.exp(-text.length / SHORT_CHARS));
}

/** Weight of the words that each memory contains, relative to the most telling ones. Words that occur nowhere do not count. */
function sharesOf(readings: readonly Reading[], { words }: Question): number[] {
  const weights = words.map(({ weight, authorWeight, isUnknown }) => (isUnknown ? 0 : Math.max(weight, authorWeight)));
  const all = weights
    .toSorted((one, other) => other - one)
    .slice(0, SHARED_WORDS)
    .reduce((sum, weight) => sum + weight, 0);
  return readings.map(({ times, saidBy }) => {
    const held = words.reduce((sum, { weight, authorWeight }, index) => {
      const byText = weight * Math.min(1, times[index] ?? 0);
      return sum + Math.max(byText, saidBy[index] === true ? authorWeight : 0);
    }, 0);
    return all === 0 ? 0 : Math.min(1, held / all);
  });
}

/** Returns a function that finds the line so many positions before another; -1 if it was not read. */
function surroundings(readings: readonly Reading[]): (index: number, back: number) => number {
  const files = new Map<string, Map<number, number>>();
  const fileOf = readings.map(({ found: { scope, source, position } }, index) => {
    if (position === null) return null;
    const key = `${scope} ${source}`;
    const file = files.get(key) ?? new Map<number, number>();
    files.set(key, file.set(position, index));
    return file;
  });
  return (index, back) => fileOf[index]?.get((readings[index]?.found.position ?? 0) - back) ?? -1;
}

/** Key of a conversation: the lines of one source said on one day. */
function talkOf({ scope, source, said: day }: Found): string {
  return `${day} ${scope} ${source}`;
}

/** The combined score of each conversation's best lines. */
function talkBests(readings: readonly Reading[], own: readonly number[]): ReadonlyMap<string, number> {
  const scored = readings.map(({ found }, index) => ({ talk: talkOf(found), score: own[index] ?? 0 }));
  const talks = Map.groupBy(scored, ({ talk }) => talk);
  return new Map(
    [...talks].map(([talk, lines]) => {
      const scores = lines.map(({ score }) => score).toSorted((one, other) => other - one);
      return [talk, Math.hypot(...scores.slice(0, TALK_BEST))];
    }),
  );
}

/** Factor for a memory's age, kind and former uses. */
function standing({ kind, usedAt, helped, isPinned, isOver }: Found, now: number): number {
  const age = Math.max(0, now - usedAt);
  const decay = isPinned ? 1 : 2 ** (-age / HALF_LIFE_MS[kind]);
  const help = 1 + HELP_STEP * Math.max(-MAX_HELP, Math.min(MAX_HELP, helped));
  return (0.3 + 0.7 * decay) * KIND_WEIGHT[kind] * help * (isOver ? OVER : 1);
}
