import { HIDDEN } from "./redaction.ts";

/** The program's own tokens and keys: values that no text may carry that comes in or goes out. */

/** Shorter values, and such as are words, would tear holes into what people say. Characters. */
const LEAST_LENGTH = 12;
const WORD = /^[a-z]+$/u;
/** Characters of an encoded form that are enough to tell it from chance. */
const LEAST_ENCODED = 14;

export interface OwnSecrets {
  /** The text without them, plain or encoded: base64, hexadecimal, as in addresses and JSON, or backwards. */
  readonly hide: (text: string) => string;
  /** The same for each text in plain data; what is neither list nor plain object stays as it is. */
  readonly hideIn: <T>(value: T) => T;
  readonly hideInBytes: (data: Uint8Array) => Uint8Array;
}

export function ownSecrets(values: readonly string[]): OwnSecrets {
  const forms = values.filter((value) => value.length >= LEAST_LENGTH && !WORD.test(value)).flatMap(formsOf);
  const longestFirst = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  const hide = (text: string): string => longestFirst.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
  return {
    hide,
    hideIn: (value) => hiddenIn(value, hide),
    hideInBytes: (data) => {
      const text = Buffer.from(data).toString("latin1");
      const without = hide(text);
      return without === text ? data : new Uint8Array(Buffer.from(without, "latin1"));
    },
  };
}

function formsOf(value: string): string[] {
  const hex = Buffer.from(value).toString("hex");
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    hex,
    hex.toUpperCase(),
    Array.from(value).toReversed().join(""),
    ...base64Forms(value),
  ];
}

/** As it stands in the base64 of a longer text: by where in a group of three bytes it begins, without what its neighbours have a part in. */
function base64Forms(value: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const whole = bytes.toString("base64").replaceAll("=", "");
    const from = Math.ceil((before * 8) / 6);
    const sure = whole.slice(from, Math.floor((bytes.length * 8) / 6));
    if (sure.length < LEAST_ENCODED) return [];
    return [sure, sure.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function hiddenIn<T>(value: T, hide: (text: string) => string): T;
function hiddenIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((each) => hiddenIn(each, hide));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hiddenIn(each, hide)]));
}
