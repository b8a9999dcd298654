import { HIDDEN } from "./log-redaction.ts";

/** Masks the program's own tokens and keys, which no incoming or outgoing text may contain. */

/** Masking shorter values or ordinary words would tear holes into what people say. Characters. */
const MIN_LENGTH = 12;
const WORD = /^[a-z]+$/u;
/** Number of characters at which an encoded form is unlikely to occur by chance. */
const MIN_ENCODED = 14;

export interface MaskRules {
  /** Minimum lengths of a value and of its encoded forms, in characters. */
  readonly shortest: { readonly value: number; readonly encoded: number };
  /** Replacement of a value. */
  readonly shown: (value: string) => string;
}

const OWN: MaskRules = { shortest: { value: MIN_LENGTH, encoded: MIN_ENCODED }, shown: () => HIDDEN };

export interface SecretMasking {
  /** The text without the values, whether plain, reversed or encoded: base64, hexadecimal, as in addresses or JSON. */
  readonly hide: (text: string) => string;
  /** As `hide` and `hideInBytes`, for all texts and bytes within lists and plain objects; leaves other objects. */
  readonly hideIn: <T>(value: T) => T;
  readonly hideInBytes: (data: Uint8Array) => Uint8Array;
}

/** `values` may change later, if its last value or its length does. */
export function secretMasking(values: readonly string[], { shortest, shown }: MaskRules = OWN): SecretMasking {
  let known = "";
  let longestFirst: readonly (readonly [form: string, value: string])[] = [];
  const longestForms = () => {
    const version = `${values.length} ${values.at(-1) ?? ""}`;
    if (known === version) return longestFirst;
    known = version;
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

/**
 * The base64 forms of a value within a longer text, for each position in a group of three bytes, without the characters
 * that depend on neighbouring bytes.
 */
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
