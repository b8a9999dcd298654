import { dateWords, dayIn, utcDay } from "./dates.ts";
import { baseOf } from "./irregular.ts";
import { stem } from "./stem.ts";

/**
 * A word of the index. It starts with a letter for its type: `w` for a stem, `a` for a stem of the author's name, `d`
 * for a date, `g` for three letters of a name.
 */
export type IndexWord = string;

/** Maximum length of an indexed word, in characters; longer ones are cut. */
const WORD_CHARS = 40;
/** Length of a name's parts, and minimum length of names that are indexed by parts, in characters. */
const GRAM_CHARS = 3;
const NAME_CHARS = 5;

const STOP = new Set(
  (
    "a about after all also am an and any are as at be because been before being but by can could did do does doing down for from " +
    "had has have having he her here hers him his how i if in into is it its just me more most my no nor not now of off on once " +
    "only or other our out over own s same she should so some such t than that the their them then there these they this those " +
    "through to too under until up us very was we were what when where which while who whom whose why will with would you your " +
    "d ll m re ve don didn doesn isn wasn weren won please tell know"
  ).split(" "),
);

/** Stop words that make a sentence a question; its answer has no use for them. */
const ASKING = new Set("what when where which who whom whose why how do does did doing please tell know".split(" "));

/** The stop words of a question, once each. */
export function smallWords(text: string): { readonly word: string; readonly isAsking: boolean }[] {
  const words = rawWords(plainOf(text)).map((raw) => raw.toLowerCase());
  return [...new Set(words)].filter((word) => STOP.has(word)).map((word) => ({ word, isAsking: ASKING.has(word) }));
}

/** The index words of a text, in order and with repetitions, and its dates, relative ones included. */
export function indexWords(text: string, said = ""): IndexWord[] {
  const plain = plainOf(text);
  const names = nameWords(plain).flatMap(gramsOf);
  return [...stemsOf(plain).map((word) => `w${word}`), ...dateWords(plain, dayIn(said)), ...new Set(names)];
}

/** The stems of a text, in order and with repetitions. */
export function plainWords(text: string): IndexWord[] {
  return stemsOf(plainOf(text)).map((word) => `w${word}`);
}

/** The words by which the author of a memory is found. */
export function authorWords(name: string): IndexWord[] {
  return [...new Set(stemsOf(plainOf(name)).map((word) => `a${word}`))];
}

/** The dates of when something was said. */
export function saidWords(said: string): IndexWord[] {
  return dateWords(said, null);
}

export interface QueryWord {
  readonly word: IndexWord;
  /** The word as an author's name; null if it cannot be a name. */
  readonly author: IndexWord | null;
  /** Parts of the word to look for if no memory contains it. */
  readonly grams: readonly IndexWord[];
}

/** The words of a question, once each, in order, without stop words. */
export function queryWords(text: string, now: number): QueryWord[] {
  const plain = plainOf(text);
  const words = new Map<string, QueryWord>();
  for (const raw of rawWords(plain)) {
    const lower = raw.toLowerCase();
    if (STOP.has(lower)) continue;
    const stemmed = stemOf(lower);
    const grams = lower.length >= NAME_CHARS ? gramsOf(lower) : [];
    words.set(stemmed, { word: `w${stemmed}`, author: `a${stemmed}`, grams });
  }
  return [...words.values(), ...dateWords(plain, utcDay(now)).map((word) => ({ word, author: null, grams: [] }))];
}

/** Removes diacritics, so that `Zoë` and `zoe` are the same; Korean syllables stay whole. */
function plainOf(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .normalize("NFC");
}

function rawWords(plain: string): string[] {
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap(partsOf);
}

/** Letters of scripts without spaces, and of Korean, whose endings follow words without a space. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether a text contains letters that are indexed in pairs. */
export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

function partsOf(word: string): string[] {
  if (!isUnspaced(word)) return [word.slice(0, WORD_CHARS)];
  const letters = Array.from(word);
  return letters.length === 1 ? letters : letters.slice(1).map((letter, index) => `${letters[index] ?? ""}${letter}`);
}

function stemsOf(plain: string): string[] {
  return rawWords(plain).flatMap((raw) => {
    const lower = raw.toLowerCase();
    return STOP.has(lower) ? [] : [stemOf(lower)];
  });
}

function stemOf(lower: string): string {
  return stem(baseOf(lower));
}

/** Words with a capital or a digit: names of people, places and things. */
function nameWords(plain: string): string[] {
  return rawWords(plain)
    .filter((word) => word.length >= NAME_CHARS && /\p{Lu}|\p{N}/u.test(word))
    .map((word) => word.toLowerCase());
}

function gramsOf(word: string): IndexWord[] {
  const letters = Array.from(word);
  return letters.slice(GRAM_CHARS - 1).map((_, index) => `g${letters.slice(index, index + GRAM_CHARS).join("")}`);
}
