import { HALF_LIFE_MS, type Kind } from "../memory.ts";
import { asksWhen, isQuestion, tellsTime } from "./cues.ts";
import type { Found } from "./full-text.ts";
import { alikeTo, type Meant } from "./meant.ts";
import type { SmallWords } from "./small-words.ts";
import { timesIn } from "./terms.ts";
import type { IndexWord, QueryWord } from "./words.ts";

export interface Ranked {
  readonly found: Found;
  readonly score: number;
  /** How much of what was asked for it holds, by itself or with the line before it: 0 to 1. */
  readonly share: number;
}

/** A word of a question, with how much it tells. */
export interface WeighedWord extends QueryWord {
  readonly weight: number;
  /** As the name of who said it; 0 where it is nobody's. */
  readonly authorWeight: number;
  /** Nothing that may be read has it. */
  readonly isUnknown: boolean;
}

export interface Question {
  readonly query: string;
  readonly words: readonly WeighedWord[];
  readonly small: SmallWords;
  /** Null where only its words are looked at. */
  readonly meant: Meant | null;
  readonly now: number;
}

/** Source: S. Robertson, H. Zaragoza, “The Probabilistic Relevance Framework: BM25 and Beyond”, 2009. */
const K1 = 1.2;
const B = 0.5;
/**
 * What a hit lends to the lines near it of the words that they lack: most to the one after it, since what answers a
 * question seldom repeats it. Tuned, as all numbers here, on half of a collection of long conversations and checked on
 * the other half.
 */
const LENT: readonly { readonly step: number; readonly part: number }[] = [
  { step: 1, part: 0.6 },
  { step: -1, part: 0.4 },
  { step: 2, part: 0.3 },
  { step: -2, part: 0.15 },
];
/** What the best lines of a conversation lend to all its lines on one day. */
const TALK_BEST = 3;
const TALK_PART = 0.5;
/** Who said it, as a word of the question; a rare name tells no more than this. */
const AUTHOR_PART = 2;
const MOST_AUTHOR = 4;
const AUTHOR_FACTOR = 1.1;
/** Two words that stand beside each other in both. */
const PAIR_PART = 0.4;
/**
 * What means most alike adds so much of the most that words find: words stay ahead where they find much, so that a model
 * that knows nothing costs little.
 */
const MEANT_PART = 0.4;
/** A word that stands in every sentence, beside others that are as rare among what was read. */
const SMALL_PART = 0.5;
const WHEN_FACTOR = 1.3;
const QUESTION_FACTOR = 0.8;
/** What an empty text loses, and after how many characters the loss is a third. */
const SHORT_LOSS = 0.2;
const SHORT_CHARS = 50;
/** How much alike a name must be to count as one that is written otherwise. */
const ALIKE = 0.5;
/** How much of the share of the line before counts for a line. */
const LENT_SHARE = 0.6;
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

/** What a question finds in one memory. */
export interface Reading {
  readonly found: Found;
  /** How often each word of the question stands there. */
  readonly times: readonly number[];
  /** The same of its small words: 1 or 0. */
  readonly small: readonly number[];
  /** Whether each is a name of who said it. */
  readonly saidBy: readonly boolean[];
  /** Pairs of the question's words that stand together there, by what they tell. */
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

/** A name that is written otherwise counts in part. */
function alikeness(grams: readonly IndexWord[], terms: string): number {
  if (grams.length === 0) return 0;
  const shared = grams.filter((gram) => timesIn(terms, [gram]) > 0).length / grams.length;
  return shared >= ALIKE ? shared : 0;
}

/** Memories by how well they answer, the best first. Half-lives rank; they hide nothing. */
export function rank(readings: readonly Reading[], question: Question): Ranked[] {
  const mean = readings.reduce((sum, { found }) => sum + found.text.length, 0) / Math.max(1, readings.length);
  const weights = [...question.words.map(({ weight }) => weight), ...smallWeights(readings, question)];
  const byWord = readings.map((reading) => relevanceOf(reading, weights, mean));
  const own = byWord.map((words) => words.reduce((sum, word) => sum + word, 0));
  const lending = readings.map(({ times, found }, index) => {
    // A question lends its small words, too, to what answers it; what is told beside something else does not.
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
  const byWords = readings.map((reading, index) => (nears[index] ?? 0) + said(reading, question));
  const best = byWords.reduce((most, relevance) => Math.max(most, relevance), 0);
  const alike = alikeTo(question.meant, readings);
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

/** How much each small word tells: those that few of the lines have that were read. */
function smallWeights(readings: readonly Reading[], { small: { count } }: Question): number[] {
  return Array.from({ length: count }, (_, word) => {
    const times = readings.reduce((sum, { small }) => sum + (small[word] ?? 0), 0);
    return SMALL_PART * weightOf(times, readings.length);
  });
}

/** By BM25, what each word of the question adds, and each of its small words. */
function relevanceOf({ times, small, found }: Reading, weights: readonly number[], mean: number): number[] {
  const norm = K1 * (1 - B + (B * found.text.length) / Math.max(1, mean));
  return [...times, ...small].map((often, index) => ((weights[index] ?? 0) * often * (K1 + 1)) / (often + norm));
}

interface Neighbour {
  readonly part: number;
  readonly words: readonly number[];
}

/** What the lines beside a line have of the question and it has not, in part. */
function lent(own: readonly number[], neighbours: readonly Neighbour[]): number {
  return own.reduce((sum, relevance, word) => {
    return relevance > 0 ? sum : sum + Math.max(...neighbours.map(({ part, words }) => part * (words[word] ?? 0)));
  }, 0);
}

/** What who said it and how add, without lending it to the lines beside. */
function said({ saidBy, pairs }: Reading, { words }: Question): number {
  const byName = words.reduce((sum, { authorWeight }, index) => {
    return saidBy[index] === true ? sum + Math.min(MOST_AUTHOR, AUTHOR_PART * authorWeight) : sum;
  }, 0);
  return byName + PAIR_PART * pairs;
}

function cues({ found: { text }, saidBy }: Reading, byTime: boolean): number {
  const time = byTime && tellsTime(text) ? WHEN_FACTOR : 1;
  const asking = isQuestion(text) ? QUESTION_FACTOR : 1;
  const author = saidBy.includes(true) ? AUTHOR_FACTOR : 1;
  return time * asking * author * (1 - SHORT_LOSS * Math.exp(-text.length / SHORT_CHARS));
}

/** How much of the words that tell most each holds. Words that stand nowhere are asked of nobody. */
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

/** Which memory is the line so many before another; -1 where none that was read. */
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

/** A conversation: what stands in one source and was said on one day. */
function talkOf({ scope, source, said: day }: Found): string {
  return `${day} ${scope} ${source}`;
}

/** How well the best lines of each conversation answer. */
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

/** What age, kind and former uses make of a memory's relevance. */
function standing({ kind, usedAt, helped, isPinned, isOver }: Found, now: number): number {
  const age = Math.max(0, now - usedAt);
  const decay = isPinned ? 1 : 2 ** (-age / HALF_LIFE_MS[kind]);
  const help = 1 + HELP_STEP * Math.max(-MOST_HELP, Math.min(MOST_HELP, helped));
  return (0.3 + 0.7 * decay) * KIND_WEIGHT[kind] * help * (isOver ? OVER : 1);
}
