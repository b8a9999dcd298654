import { dateWords, dayIn, utcDay } from "./dates.ts";
import { baseOf } from "./irregular.ts";
import { stem } from "./stem.ts";

/**
 * What a text is found by. Each word begins with a letter for what it is: `w` a stem, `a` a stem of the author's name,
 * `d` a date, `g` three letters of a name.
 */
export type IndexWord = string;

/** Longer words are hardly words, but in scripts without spaces. Characters. */
const WORD_CHARS = 40;
/** Shorter names are found by themselves or not at all. Characters. */
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

/** Those of them that make a question one: what answers it has no use for them. */
const ASKING = new Set("what when where which who whom whose why how do does did doing please tell know".split(" "));

/** The words of a question that stand in every sentence, once each. */
export function smallWords(text: string): { readonly word: string; readonly isAsking: boolean }[] {
  const words = rawWords(plainOf(text)).map((raw) => raw.toLowerCase());
  return [...new Set(words)].filter((word) => STOP.has(word)).map((word) => ({ word, isAsking: ASKING.has(word) }));
}

/** The words of a text in order and as often as they stand there; dates that it tells in relation to when it was said. */
export function indexWords(text: string, said = ""): IndexWord[] {
  const plain = plainOf(text);
  const names = nameWords(plain).flatMap(gramsOf);
  return [...stemsOf(plain).map((word) => `w${word}`), ...dateWords(plain, dayIn(said)), ...new Set(names)];
}

/** The stems of a text in order and as often as they stand there. */
export function plainWords(text: string): IndexWord[] {
  return stemsOf(plainOf(text)).map((word) => `w${word}`);
}

/** The words that whoever said something is found by. */
export function authorWords(name: string): IndexWord[] {
  return [...new Set(stemsOf(plainOf(name)).map((word) => `a${word}`))];
}

/** The dates of when something was said. */
export function saidWords(said: string): IndexWord[] {
  return dateWords(said, null);
}

export interface QueryWord {
  readonly word: IndexWord;
  /** As the name of whoever said it; null for what is no name. */
  readonly author: IndexWord | null;
  /** What it is looked for by where nothing has it. */
  readonly grams: readonly IndexWord[];
}

/** Each word of a question once, in order, without those that stand in every sentence. */
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

/** Letters without their marks, so that `Zoë` and `zoe` are one; Korean syllables stay whole. */
function plainOf(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .normalize("NFC");
}

function rawWords(plain: string): string[] {
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap(partsOf);
}

/** Letters of scripts without spaces, and of Korean, whose words take endings without one. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether there are letters that are read by pairs. */
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

/** Words that are written with a capital or a digit: names of people, places and things. */
function nameWords(plain: string): string[] {
  return rawWords(plain)
    .filter((word) => word.length >= NAME_CHARS && /\p{Lu}|\p{N}/u.test(word))
    .map((word) => word.toLowerCase());
}

function gramsOf(word: string): IndexWord[] {
  const letters = Array.from(word);
  return letters.slice(GRAM_CHARS - 1).map((_, index) => `g${letters.slice(index, index + GRAM_CHARS).join("")}`);
}
