import { numberText } from "./numbers.ts";

/** What a program is given and looks like a number: it is compared as one, and is no text that is always true. */
class Numeral {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** The value of what nothing was given to: 0 as well as an empty text. */
export const UNSET = { toString: () => "" };

/** A part of the input, as a value. */
export function given(text: unknown): unknown {
  return typeof text === "string" && /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/.test(text)
    ? new Numeral(text)
    : text;
}

export function isTrue(value: unknown): boolean {
  if (value instanceof Numeral) return Number(value) !== 0;
  return value !== UNSET && value !== "" && value !== 0;
}

/** What two operands are compared as: with a letter before them, neither looks like a number. */
export function comparable(left: unknown, right: unknown): [unknown, unknown] {
  const isText = typeof left === "string" || typeof right === "string" || (left === UNSET && right === UNSET);
  return isText ? [`t${numberText(left)}`, `t${numberText(right)}`] : [Number(left), Number(right)];
}
