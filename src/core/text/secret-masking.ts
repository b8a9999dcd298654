import { HIDDEN } from "./log-redaction.ts";

/** The program's own tokens and keys: values that no text may carry that comes in or goes out. */

/** Shorter values, and such as are words, would tear holes into what people say. Characters. */
const LEAST_LENGTH = 12;
const WORD = /^[a-z]+$/u;
/** Characters of an encoded form that are enough to tell it from chance. */
const LEAST_ENCODED = 14;

export interface MaskRules {
  /** Characters that a value, and an encoded form of it, has at least. */
  readonly shortest: { readonly value: number; readonly encoded: number };
  /** What stands in place of a value. */
  readonly shown: (value: string) => string;
}

const OWN: MaskRules = { shortest: { value: LEAST_LENGTH, encoded: LEAST_ENCODED }, shown: () => HIDDEN };

export interface SecretMasking {
  /** The text without them, plain or encoded: base64, hexadecimal, as in addresses and JSON, or backwards. */
  readonly hide: (text: string) => string;
  /** The same for each text in plain data, and in bytes; what is neither list nor plain object stays as it is. */
  readonly hideIn: <T>(value: T) => T;
  readonly hideInBytes: (data: Uint8Array) => Uint8Array;
}

/** `values` may grow. */
export function secretMasking(values: readonly string[], { shortest, shown }: MaskRules = OWN): SecretMasking {
  let known = 0;
  let longestFirst: readonly (readonly [form: string, value: string])[] = [];
  const longestForms = () => {
    if (known === values.length) return longestFirst;
    known = values.length;
    const forms = values
      .filter((value) => value.length >= shortest.value && !WORD.test(value))
      .flatMap((value) => formsOf(value, shortest.encoded).map((form) => [form, value] as const));
    longestFirst = [...new Map(forms)].toSorted(([a], [b]) => b.length - a.length);
    return longestFirst;
  };
  const hide = (text: string): string =>
    longestForms().reduce((rest, [form, value]) => rest.replaceAll(form, () => shown(value)), text);
  const hideInBytes = (data: Uint8Array): Uint8Array => {
    const text = Buffer.from(data).toString("latin1");
    const without = hide(text);
    return without === text ? data : new Uint8Array(Buffer.from(without, "latin1"));
  };
  return { hide, hideIn: (value) => hiddenIn(value, { hide, hideInBytes }), hideInBytes };
}

function formsOf(value: string, leastEncoded: number): string[] {
  const hex = Buffer.from(value).toString("hex");
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    hex,
    hex.toUpperCase(),
    Array.from(value).toReversed().join(""),
    ...base64Forms(value, leastEncoded),
  ];
}

/** As it stands in the base64 of a longer text: by where in a group of three bytes it begins, without what its neighbours have a part in. */
function base64Forms(value: string, leastEncoded: number): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const whole = bytes.toString("base64").replaceAll("=", "");
    const from = Math.ceil((before * 8) / 6);
    const sure = whole.slice(from, Math.floor((bytes.length * 8) / 6));
    if (sure.length < leastEncoded) return [];
    return [sure, sure.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

type Within = Pick<SecretMasking, "hide" | "hideInBytes">;

function hiddenIn<T>(value: T, within: Within): T;
function hiddenIn(value: unknown, within: Within): unknown {
  if (typeof value === "string") return within.hide(value);
  if (value instanceof Uint8Array) return within.hideInBytes(value);
  if (Array.isArray(value)) return value.map((each) => hiddenIn(each, within));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hiddenIn(each, within)]));
}
