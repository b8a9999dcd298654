import { unescape } from "node:querystring";
import { isPluralSecretName, isSecretName } from "./secret-name.ts";
import { withoutLikelyTokens } from "./token-shapes.ts";

/** Credentials that a line of the log shows by where they stand, though nobody listed their value. */

export const HIDDEN = "[secret]";

/** A line of the log without them. */
export function withoutCredentials(line: string): string {
  try {
    return `${JSON.stringify(hidden(JSON.parse(line), false))}${line.endsWith("\n") ? "\n" : ""}`;
  } catch {
    return inText(line); // what is no JSON is a text
  }
}

function hidden(value: unknown, isSecret: boolean): unknown {
  if (typeof value === "string") return isSecret ? HIDDEN : inText(value);
  if (Array.isArray(value)) return value.map((each, at) => hidden(each, isSecret || isNaming(value[at - 1])));
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

/** A flag or a header that says what the next argument is. */
function isNaming(before: unknown): boolean {
  return typeof before === "string" && /^[\w-]{1,60}$/u.test(before) && isSecretName(before);
}

/** Addresses that are keys themselves: what is posted there stands in a channel. */
const WEBHOOK =
  /((?:hooks\.slack\.com\/[a-z]{1,20}|discord(?:app)?\.com\/api\/(?:v\d{1,3}\/)?webhooks)\/)[^\s"'\\<>|)]+/gu;
const PRIVATE_KEY = /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]*/gu;
const USER = /(\/\/)[^/\s@"\\?#]+(?=@)/gu;
/** A password with signs that no address allows there, by the end of the word or else by the next @; a port is none. */
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
/** Parameters of addresses that are credentials there and words elsewhere. */
const PARAMETER = /^(?:key|code)$/iu;
const VALUE =
  /((?:bearer|basic|token|digest) {1,3})?("(?:[^"\\]|\\.)*"|'[^']*'|\\+["'][^"'\\]*|[^\s"'\\,;&#<>(){}[\]|]+)/iuy;
const COOKIES = /()("(?:[^"\\]|\\.)*"|[^\n"\\]+)/uy;

/** The text without the values that stand behind the names of credentials. */
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

/** The credential that begins there, and what is shown in its place; null where none does. */
function valueAt(text: string, start: number, standing: Assignment) {
  const pattern = /cookie$/iu.test(standing.name) ? COOKIES : VALUE;
  pattern.lastIndex = start;
  const [found, scheme = "", shown = ""] = pattern.exec(text) ?? [];
  if (found === undefined || !isCredential(shown, { ...standing, scheme })) return null;
  const [quote = ""] = /^\\*["']|^/u.exec(shown) ?? [];
  return { shown, instead: `${quote}${HIDDEN}${shown.startsWith("\\") ? "" : quote}`, end: start + found.length };
}

/** Where an object or a list ends that begins here; what stands in quotes opens and closes nothing. */
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

/** In words, `password: must be …` tells none; only a flag's value stands behind a blank. */
function isCredential(value: string, { dashes, sign, scheme }: Assignment & { readonly scheme: string }): boolean {
  if (sign.trim() === "") return dashes !== "" && !value.startsWith("-");
  return sign.includes("=") || /["']/u.test(value) || scheme !== "" || isOdd(value);
}

/** Whether it is unlike a word. */
function isOdd(value: string): boolean {
  return value.length >= 8 && (/[\d=+/_-]/u.test(value) || value.length >= 20);
}
