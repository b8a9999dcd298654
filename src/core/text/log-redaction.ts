import { unescape } from "node:querystring";
import { isPluralSecretName, isSecretName } from "./secret-name.ts";
import { withoutLikelyTokens } from "./token-shapes.ts";

/** Removes credentials that a log line reveals by their position, even if nobody listed their values. */

export const HIDDEN = "[secret]";

/** Returns a log line without its credentials. */
export function withoutCredentials(line: string): string {
  try {
    return `${JSON.stringify(hidden(JSON.parse(line), false))}${line.endsWith("\n") ? "\n" : ""}`;
  } catch {
    return inText(line); // anything but JSON is treated as text
  }
}

function hidden(value: unknown, isSecret: boolean): unknown {
  if (typeof value === "string") return isSecret ? HIDDEN : inText(value);
  if (Array.isArray(value)) return value.map((each, at) => hidden(each, isSecret || isSecretFlag(value[at - 1])));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, hidden(each, isSecret || isSecretAt(key, each))]),
  );
}

function isSecretAt(key: string, value: unknown): boolean {
  return isSecretName(key) || (isPluralSecretName(key) && !isCount(value));
}

function isCount(value: unknown): boolean {
  return typeof value === "string" && /^\D?\d+\D?$/u.test(value);
}

/** Whether an argument is a flag or a header whose value follows as the next argument. */
function isSecretFlag(before: unknown): boolean {
  return typeof before === "string" && /^[\w-]{1,60}$/u.test(before) && isSecretName(before);
}

/** Webhook addresses are credentials themselves: whoever knows one can post in its channel. */
const WEBHOOK =
  /((?:hooks\.slack\.com\/[a-z]{1,20}|discord(?:app)?\.com\/api\/(?:v\d{1,3}\/)?webhooks)\/)[^\s"'\\<>|)]+/gu;
const PRIVATE_KEY = /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]*/gu;
const USER = /(\/\/)[^/\s@"\\?#]+(?=@)/gu;
/** A password with characters that addresses do not allow, up to the end of the word or the next @. A port is none. */
const ODD_USER =
  /(\/\/)[^\s@"'\\/?#:<>[]{0,100}:(?!\s|\d{1,5}(?:[^\w@.%-]|$))(?:\S{0,200}|[^\n@]{0,100})@(?=[\w.<[-])/gu;
/** `-u name:password`, as curl takes it. */
const USER_FLAGS = [
  /(?<![\w-])((?:-u|--user)[\s=]{0,3}"[^\s:"]{1,60}:)[^"\n]{1,200}/gu,
  /(?<![\w-])((?:-u|--user)[\s=]{0,3}'[^\s:']{1,60}:)[^'\n]{1,200}/gu,
  /(?<![\w-])((?:-u|--user)[\s=]{0,3}[^\s:"'\\]{1,60}:)[^\s"'\\]+/gu,
];
const SCHEME = /\b(bearer|basic) ([^\s"'\\,;]{8,})/giu;

function inText(text: string): string {
  const named = USER_FLAGS.reduce((known, flag) => known.replace(flag, `$1${HIDDEN}`), withoutNamed(text));
  const behindSchemes = named.replace(SCHEME, (whole, scheme: string, value: string) =>
    scheme === "Bearer" || isOdd(value) ? `${scheme} ${HIDDEN}` : whole,
  );
  return withoutLikelyTokens(behindSchemes, HIDDEN)
    .replace(WEBHOOK, `$1${HIDDEN}`)
    .replace(PRIVATE_KEY, `$1${HIDDEN}`)
    .replace(ODD_USER, `$1${HIDDEN}@`)
    .replace(USER, `$1${HIDDEN}`);
}

/** `name: `, `NAME=`, `"name": "`, `\"name\": \"`, `--name `. */
const NAME = /(?<![\w.%-])(-{0,2})([a-z][\w.%-]{0,60})(\\{0,4}["']?\s{0,3}[:=]\s{0,3}|\s{1,3})/giu;
/** Parameters that are credentials in addresses but ordinary words elsewhere. */
const PARAMETER = /^(?:key|code)$/iu;
const VALUE =
  /((?:bearer|basic|token|digest) {1,3})?("(?:[^"\\]|\\.)*"|'[^']*'|\\+["'][^"'\\]*|[^\s"'\\,;&#<>(){}[\]|]+)/iuy;
const COOKIES = /()("(?:[^"\\]|\\.)*"|[^\n"\\]+)/uy;

/** The text without the values that follow names of credentials. */
function withoutNamed(text: string): string {
  let kept = "";
  let from = 0;
  let isHarmlessTo = 0;
  for (const { index, 0: whole, 1: dashes = "", 2: written = "", 3: sign = "" } of text.matchAll(NAME)) {
    const name = unescape(written);
    const isInAddress = /[?&#]/u.test(text.charAt(index - 1));
    const isPlural = isPluralSecretName(name);
    if (index < from || !(isPlural || isSecretName(name) || (isInAddress && PARAMETER.test(name)))) continue;
    const start = index + whole.length;
    if (sign.trim() !== "" && /[{[]/u.test(text.charAt(start))) {
      if (start < isHarmlessTo) continue;
      const end = structureEnd(text, start);
      const isHarmless = !/["']/u.test(text.slice(start, end));
      if (isHarmless) isHarmlessTo = end;
      else [kept, from] = [`${kept}${text.slice(from, start)}${HIDDEN}`, end];
      continue;
    }
    const value = valueAt(text, start, { name, dashes, sign });
    if (value === null || (isPlural && isCount(value.shown))) continue;
    kept += `${text.slice(from, start)}${value.instead}`;
    from = value.end;
  }
  return kept + text.slice(from);
}

interface Assignment {
  readonly name: string;
  readonly dashes: string;
  readonly sign: string;
}

/** The credential that begins at `start`, and its replacement; null if there is none. */
function valueAt(text: string, start: number, standing: Assignment) {
  const pattern = /cookie$/iu.test(standing.name) ? COOKIES : VALUE;
  pattern.lastIndex = start;
  const [found, scheme = "", shown = ""] = pattern.exec(text) ?? [];
  if (found === undefined || !isCredential(shown, { ...standing, scheme })) return null;
  const [quote = ""] = /^\\*["']|^/u.exec(shown) ?? [];
  return { shown, instead: `${quote}${HIDDEN}${shown.startsWith("\\") ? "" : quote}`, end: start + found.length };
}

/** End of the object or list that begins at `start`. Brackets within quotes do not count. */
function structureEnd(text: string, start: number): number {
  let quote: string | null = null;
  let depth = 0;
  for (const { index, 0: sign } of text.slice(start).matchAll(/\\{0,4}["']|[{}[\]]/gu)) {
    if (quote === null && /["']$/u.test(sign)) quote = sign;
    else if (quote === sign) quote = null;
    else if (quote === null) depth += /[{[]/u.test(sign) ? 1 : -1;
    if (depth === 0) return start + index + 1;
  }
  return text.length;
}

/** Whether a value is a credential. Prose such as `password: must be …` has none; only flags have blanks before. */
function isCredential(value: string, { dashes, sign, scheme }: Assignment & { readonly scheme: string }): boolean {
  if (sign.trim() === "") return dashes !== "" && !value.startsWith("-");
  return sign.includes("=") || /["']/u.test(value) || scheme !== "" || isOdd(value);
}

/** Whether a value does not look like a word. */
function isOdd(value: string): boolean {
  return value.length >= 8 && (/[\d=+/_-]/u.test(value) || value.length >= 20);
}
