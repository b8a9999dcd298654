/** Input text that looks like a number: it is compared as a number, and is false if it equals 0. */
export class Numeral {
  readonly text: string;
  readonly number: number;

  constructor(text: string, number: number) {
    this.text = text;
    this.number = number;
  }
}

export type Value = number | string | Numeral;

/** The elements of an array may be arrays. */
export type Elements = Map<string, Value | Elements>;

/** Value of an unset variable, which is both 0 and the empty text. */
export const UNSET = new Numeral("", 0);

const LOOKS_NUMERIC = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/;
const SPECIAL = /^\s*[-+](?:inf|nan)\s*$/i;
const PREFIX = /^\s*(?:[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|([-+])(inf|nan)(?![\w.]))/i;
/** What JavaScript takes for numbers, but awk does not, contains one of these. */
const FOREIGN = /[^\d\s.eE+-]/;
const [FIRST_DIGIT, LAST_DIGIT] = [48, 57];

export function numberIn(text: string): number {
  const number = +text;
  if (!Number.isNaN(number) && (String(number) === text || !FOREIGN.test(text))) return number;
  const [found = "", sign = "", name] = PREFIX.exec(text) ?? [];
  if (name === undefined) return Number(found);
  const size = name.toLowerCase() === "inf" ? Number.POSITIVE_INFINITY : Number.NaN;
  return sign === "-" ? -size : size;
}

export function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "string") return numberIn(value);
  if (value instanceof Numeral) return value.number;
  throw new Error("attempt to use an array in a scalar context");
}

/** Converts input text to a value, a numeral if it looks like a number. */
export function inputValue(text: string): Value {
  const first = text.charCodeAt(0);
  // An empty text has no first character, with which each comparison is false.
  if (!(first <= LAST_DIGIT)) return text;
  const number = +text;
  if (Number.isNaN(number)) return first < FIRST_DIGIT && SPECIAL.test(text) ? new Numeral(text, numberIn(text)) : text;
  return String(number) === text || LOOKS_NUMERIC.test(text) ? new Numeral(text, number) : text;
}

export function isTrue(value: Value): boolean {
  if (typeof value === "number") return value !== 0;
  return typeof value === "string" ? value !== "" : value.number !== 0;
}

export function isElements(value: unknown): value is Elements {
  return value instanceof Map;
}
