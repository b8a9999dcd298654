import { stem } from "./stem.ts";

/**
 * What the full-text index knows of a text. Each word begins with a letter for what it is, so that both databases keep
 * them apart without knowing: `w` a stem, `a` a stem of the author's name, `d` a date, `g` three letters of a name.
 */
export type IndexWord = string;

/** Longer words are hardly words. Characters. */
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

/** The words of a text as they are indexed, in order and as often as they stand there. */
export function indexWords(text: string): IndexWord[] {
  const plain = plainOf(text);
  const names = nameWords(plain).flatMap((name) => gramsOf(name));
  return [...stemsOf(plain).map((word) => `w${word}`), ...datesOf(plain), ...new Set(names)];
}

/** The words that whoever said something is found by. */
export function authorWords(name: string): IndexWord[] {
  return [...new Set(stemsOf(plainOf(name)).map((word) => `a${word}`))];
}

export interface QueryWord {
  readonly word: IndexWord;
  /** Words of the index that mean it, too. */
  readonly alike: readonly IndexWord[];
  /** What it is looked for by where the index has none of these. */
  readonly grams: readonly IndexWord[];
}

/** Each word of a question once, without those that stand in every sentence. */
export function queryWords(text: string): QueryWord[] {
  const plain = plainOf(text);
  const words = new Map<string, QueryWord>();
  for (const raw of rawWords(plain)) {
    const lower = raw.toLowerCase();
    if (STOP.has(lower)) continue;
    const stemmed = stem(lower);
    const grams = lower.length >= NAME_CHARS ? gramsOf(lower) : [];
    words.set(stemmed, { word: `w${stemmed}`, alike: [`a${stemmed}`], grams });
  }
  return [...words.values(), ...datesOf(plain).map((word) => ({ word, alike: [], grams: [] }))];
}

/** Letters without their marks, so that `Zoë` and `zoe` are one. */
function plainOf(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}+/gu, "");
}

function rawWords(plain: string): string[] {
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => partsOf(word.slice(0, WORD_CHARS)));
}

/** Scripts without spaces are read by pairs of letters. */
function partsOf(word: string): string[] {
  if (!/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word)) return [word];
  const letters = Array.from(word);
  return letters.length === 1 ? letters : letters.slice(1).map((letter, index) => `${letters[index] ?? ""}${letter}`);
}

function stemsOf(plain: string): string[] {
  return rawWords(plain).flatMap((raw) => {
    const lower = raw.toLowerCase();
    return STOP.has(lower) ? [] : [stem(lower)];
  });
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

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const ISO_DATE = /\b(\d{4})-(\d{2})-(\d{2})/gu;
const DAY_FIRST =
  /\b(\d{1,2})(?:st|nd|rd|th)? (?:of )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?,? (\d{4})\b/giu;
const MONTH_FIRST =
  /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/giu;

/** A date, however it is written, as the day and the month that it is. */
function datesOf(plain: string): IndexWord[] {
  const found: string[] = [];
  const add = (year = "", month = "", day = "") => {
    found.push(`d${year}${month.padStart(2, "0")}${day.padStart(2, "0")}`, `d${year}${month.padStart(2, "0")}`);
  };
  const numberOf = (month = "") => String(MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1);
  for (const [, year, month, day] of plain.matchAll(ISO_DATE)) add(year, month, day);
  for (const [, day, month, year] of plain.matchAll(DAY_FIRST)) add(year, numberOf(month), day);
  for (const [, month, day, year] of plain.matchAll(MONTH_FIRST)) add(year, numberOf(month), day);
  return [...new Set(found)];
}
