import { unescape } from "node:querystring";
import { isSecretName } from "./secret-name.ts";

/** Credentials that a line of the log shows by where they stand, though nobody listed their value. */

export const HIDDEN = "[secret]";

/** A line of the log without them. */
export function withoutCredentials(line: string): string {
  try {
    return `${JSON.stringify(JSON.parse(line, hidden))}${line.endsWith("\n") ? "\n" : ""}`;
  } catch {
    return inText(line); // what is no JSON is a text
  }
}

function hidden(key: string, value: unknown): unknown {
  if (typeof value === "string") return isSecretName(key) ? HIDDEN : inText(value);
  if (!Array.isArray(value)) return value;
  const isSecret = (at: number) => isSecretName(key) || isNaming(value[at - 1]);
  return value.map((each: unknown, at) => (typeof each === "string" && isSecret(at) ? HIDDEN : each));
}

/** A flag or a header that says what the next argument is. */
function isNaming(before: unknown): boolean {
  return typeof before === "string" && /^[\w-]{1,60}$/u.test(before) && isSecretName(before);
}

const BARE =
  /\b(?:xox[a-z]-|xapp-|sk-|gh[opsur]_|github_pat_|glpat-|npm_(?=[A-Za-z0-9]{30})|AKIA|AIza|eyJ[\w-]{10,400}\.)[\w.-]{10,}/gu;
/** Addresses that are keys themselves: what is posted there stands in a channel. */
const WEBHOOK =
  /((?:hooks\.slack\.com\/[a-z]{1,20}|discord(?:app)?\.com\/api\/(?:v\d{1,3}\/)?webhooks)\/)[^\s"'\\<>|)]+/gu;
const PRIVATE_KEY = /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]*/gu;
const USER = /(\/\/)[^/\s@"\\?#]+(?=@)/gu;
/** `-u name:password`, as curl takes it. */
const USER_FLAG = /(?<![\w-])(-u\s{0,3}[^\s:"'\\]{1,60}:)[^\s"'\\]+/gu;
const SCHEME = /\b(bearer|basic) ([^\s"'\\,;]{8,})/giu;

function inText(text: string): string {
  return withoutNamed(text)
    .replace(SCHEME, (whole, scheme: string, value: string) =>
      scheme === "Bearer" || isOdd(value) ? `${scheme} ${HIDDEN}` : whole,
    )
    .replace(BARE, HIDDEN)
    .replace(WEBHOOK, `$1${HIDDEN}`)
    .replace(PRIVATE_KEY, `$1${HIDDEN}`)
    .replace(USER, `$1${HIDDEN}`)
    .replace(USER_FLAG, `$1${HIDDEN}`);
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
  for (const { index, 0: whole, 1: dashes = "", 2: name = "", 3: sign = "" } of text.matchAll(NAME)) {
    const isInAddress = /[?&#]/u.test(text.charAt(index - 1));
    if (index < from || !(isSecretName(unescape(name)) || (isInAddress && PARAMETER.test(name)))) continue;
    const pattern = /cookie$/iu.test(name) ? COOKIES : VALUE;
    const start = index + whole.length;
    pattern.lastIndex = start;
    const [found, scheme, value = ""] = pattern.exec(text) ?? [];
    if (found === undefined || !isCredential(value, { dashes, sign, scheme })) continue;
    const [quote = ""] = /^\\*["']|^/u.exec(value) ?? [];
    kept += `${text.slice(from, start)}${quote}${HIDDEN}${value.startsWith("\\") ? "" : quote}`;
    from = start + found.length;
  }
  return kept + text.slice(from);
}

interface Standing {
  readonly dashes: string;
  readonly sign: string;
  readonly scheme: string | undefined;
}

/** In words, `password: must be …` tells none; only a flag's value stands behind a blank. */
function isCredential(value: string, { dashes, sign, scheme }: Standing): boolean {
  if (sign.trim() === "") return dashes !== "" && !value.startsWith("-");
  return sign.includes("=") || /["']/u.test(value) || (scheme ?? "") !== "" || isOdd(value);
}

/** Whether it is unlike a word. */
function isOdd(value: string): boolean {
  return value.length >= 8 && (/[\d=+/_-]/u.test(value) || value.length >= 20);
}
