import { isArray, isNumber, JqError, type Json } from "./values.ts";

const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAY_MS = 86_400_000;

/** What C calls broken down: year, month from 0, day, hours, minutes, seconds, weekday, day of the year from 0. */
export function brokenDown(seconds: number): Json {
  const at = new Date(Math.floor(seconds) * 1_000);
  if (Number.isNaN(at.getTime())) throw new JqError("error converting number of seconds since epoch to datetime");
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  const fraction = Math.round((seconds - Math.floor(seconds)) * 1e6) / 1e6;
  const clock = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds() + fraction];
  return [year, month, day, ...clock, at.getUTCDay(), yearDay(at)];
}

function yearDay(at: Date): number {
  return Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0, 1)) / DAY_MS);
}

/** Seconds since 1970 in UTC. */
export function secondsOf(time: Json, name: string): number {
  const parts = isArray(time) ? time.slice(0, 6).filter(isNumber).map(Number) : [];
  if (parts.length < 6)
    throw new JqError(`${name} requires ${isArray(time) ? "parsed datetime inputs" : "array of 6 numbers"}`);
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  return (
    Math.floor(new Date(0).setUTCFullYear(year, month, day) / 1_000) +
    hours * 3_600 +
    minutes * 60 +
    Math.floor(seconds)
  );
}

/** Formats a time as `strftime` does. */
export function formatted(seconds: number, format: string, name: string): string {
  const at = new Date(Math.floor(seconds) * 1_000);
  const expand = (text: string): string =>
    text.replace(/%[-_0^#EO]?([a-zA-Z%])/g, (all, letter: string) => {
      const part = partOf(at, letter);
      if (part === null) throw new JqError(`${name}: unknown conversion ${all}`);
      const shown = typeof part === "string" && part.startsWith("=") ? expand(part.slice(1)) : part;
      return all[1] === "-" ? shown.replace(/^[0 ]+(?=.)/, "") : all[1] === "^" ? shown.toUpperCase() : shown;
    });
  return expand(format);
}

function pad(value: number, width = 2, by = "0"): string {
  return String(value).padStart(width, by);
}

/** Text of a conversion, with `=` in front if it is itself a format; null for unknown conversions. */
function partOf(at: Date, letter: string): string | null {
  const [hours, weekday] = [at.getUTCHours(), at.getUTCDay()];
  const parts: Readonly<Record<string, () => string>> = {
    "%": () => "%",
    a: () => (DAYS[weekday] ?? "").slice(0, 3),
    A: () => DAYS[weekday] ?? "",
    b: () => (MONTHS[at.getUTCMonth()] ?? "").slice(0, 3),
    B: () => MONTHS[at.getUTCMonth()] ?? "",
    c: () => "=%a %b %e %H:%M:%S %Y",
    C: () => pad(Math.floor(at.getUTCFullYear() / 100)),
    d: () => pad(at.getUTCDate()),
    D: () => "=%m/%d/%y",
    e: () => pad(at.getUTCDate(), 2, " "),
    F: () => "=%Y-%m-%d",
    G: () => String(isoWeek(at).year),
    g: () => pad(isoWeek(at).year % 100),
    h: () => "=%b",
    H: () => pad(hours),
    I: () => pad(hours % 12 || 12),
    j: () => pad(yearDay(at) + 1, 3),
    k: () => pad(hours, 2, " "),
    l: () => pad(hours % 12 || 12, 2, " "),
    m: () => pad(at.getUTCMonth() + 1),
    M: () => pad(at.getUTCMinutes()),
    n: () => "\n",
    p: () => (hours < 12 ? "AM" : "PM"),
    P: () => (hours < 12 ? "am" : "pm"),
    r: () => "=%I:%M:%S %p",
    R: () => "=%H:%M",
    s: () => String(at.getTime() / 1_000),
    S: () => pad(at.getUTCSeconds()),
    t: () => "\t",
    T: () => "=%H:%M:%S",
    u: () => String(weekday || 7),
    U: () => pad(Math.floor((yearDay(at) + 7 - weekday) / 7)),
    V: () => pad(isoWeek(at).week),
    w: () => String(weekday),
    W: () => pad(Math.floor((yearDay(at) + 7 - ((weekday + 6) % 7)) / 7)),
    x: () => "=%m/%d/%y",
    X: () => "=%H:%M:%S",
    y: () => pad(at.getUTCFullYear() % 100),
    Y: () => String(at.getUTCFullYear()),
    z: () => "+0000",
    Z: () => "UTC",
  };
  return parts[letter]?.() ?? null;
}

/** A week is the year's that its Thursday is in. */
function isoWeek(at: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(at.getTime() + (4 - (at.getUTCDay() || 7)) * DAY_MS);
  return { year: thursday.getUTCFullYear(), week: Math.floor(yearDay(thursday) / 7) + 1 };
}

/** Patterns of the conversions of `strptime`, by letter. */
const READ: Readonly<Record<string, RegExp>> = {
  Y: /[+-]?\d{1,4}/y,
  m: /\d{1,2}/y,
  d: /\d{1,2}/y,
  H: /\d{1,2}/y,
  I: /\d{1,2}/y,
  M: /\d{1,2}/y,
  S: /\d{1,2}/y,
  j: /\d{1,3}/y,
  y: /\d{2}/y,
  s: /-?\d+/y,
  p: /[ap]m/iy,
  z: /Z|[+-]\d{2}(?::?\d{2})?/y,
  Z: /[a-z]+/iy,
  a: /(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*/iy,
  b: /(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*/iy,
  u: /[1-7]/y,
  w: /[0-6]/y,
};
const SAME: Readonly<Record<string, string>> = { e: "d", k: "H", l: "I", A: "a", B: "b", h: "b" };
const LONGER: Readonly<Record<string, string>> = {
  T: "%H:%M:%S",
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  R: "%H:%M",
  r: "%I:%M:%S %p",
  c: "%a %b %e %H:%M:%S %Y",
};
const SPACE = /\s*/y;

export function parsed(text: string, format: string): Json {
  const read = new Map<string, string>();
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    at += found?.length ?? 0;
    return found;
  };
  const matches = (part: string): boolean => {
    const letter = part.startsWith("%") ? part.slice(1) : "";
    if (/^\s$/.test(part) || letter === "n" || letter === "t") return take(SPACE) !== undefined;
    if (letter === "" || letter === "%") return text[at++] === part[0];
    const known = SAME[letter] ?? letter;
    const pattern = READ[known];
    if (pattern === undefined) throw new JqError(`strptime/1: unknown conversion ${part}`);
    take(SPACE);
    const found = take(pattern);
    if (found !== undefined) read.set(known, found);
    return found !== undefined;
  };
  const parts = format.replace(/%([TDFRrc])/g, (all, letter: string) => LONGER[letter] ?? all).match(/%?[^]/g) ?? [];
  const seconds = parts.every(matches) && text.slice(at).trim() === "" ? secondsFrom(read) : null;
  if (seconds === null) throw new JqError(`date "${text}" does not match format "${format}"`);
  return brokenDown(seconds);
}

/** Converts parsed fields to seconds; null for invalid dates. The time zone is ignored, as in C. */
function secondsFrom(read: ReadonlyMap<string, string>): number | null {
  const number = (letter: string, otherwise: number) => Number(read.get(letter) ?? otherwise);
  if (read.has("s")) return number("s", 0);
  const short = number("y", 0);
  const year = read.has("y") && !read.has("Y") ? short + (short < 69 ? 2000 : 1900) : number("Y", 1900);
  const named = MONTHS.findIndex(
    (month) => month.slice(0, 3).toLowerCase() === read.get("b")?.slice(0, 3).toLowerCase(),
  );
  const month = read.has("b") ? named : number("m", 1) - 1;
  const day = number("d", read.has("j") ? number("j", 1) : 1);
  const afternoon = read.get("p")?.toLowerCase() === "pm" ? 12 : 0;
  const hours = read.has("I") ? (number("I", 12) % 12) + afternoon : number("H", 0);
  const [minutes, seconds] = [number("M", 0), number("S", 0)];
  if (month > 11 || month < 0 || day < 1 || (day > 31 && !read.has("j")) || hours > 23 || minutes > 59 || seconds > 60)
    return null;
  return secondsOf([year, month, day, hours, minutes, seconds], "strptime/1");
}
