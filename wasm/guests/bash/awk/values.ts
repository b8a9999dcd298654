import { numberText } from "./numbers.ts";

/** Input text that looks like a number: it is compared as a number, and is false if it equals 0. */
class NumericString {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Value of an unset variable, which is both 0 and the empty text. */
export const UNSET = { toString: () => "" };

/** Converts input text to a value, a Numeral if it looks like a number. */
export function inputValue(text: unknown): unknown {
  return typeof text === "string" && /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/.test(text)
    ? new NumericString(text)
    : text;
}

export function isTrue(value: unknown): boolean {
  if (value instanceof NumericString) return Number(value) !== 0;
  return value !== UNSET && value !== "" && value !== 0;
}

/** Converts two operands for comparison; texts get a letter in front so that neither looks like a number. */
export function comparisonOperands(left: unknown, right: unknown): [unknown, unknown] {
  const isText = typeof left === "string" || typeof right === "string" || (left === UNSET && right === UNSET);
  return isText ? [`t${numberText(left)}`, `t${numberText(right)}`] : [Number(left), Number(right)];
}
