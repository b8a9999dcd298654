import { Refusal } from "../text/command.ts";
import { strftime, yearDay } from "../time/format.ts";
import type { Zone } from "../time/zone.ts";
import { momentOfAny, UTC, wallTime, zoneOf } from "../time/zones.ts";
import { computed, type Env, each, type Filter } from "./filters.ts";
import { numeric } from "./numbers.ts";
import type { ValueFunction } from "./texts.ts";
import { isArray, isNumber, JqError, type Json } from "./values.ts";

const MONTHS = "January February March April May June July August September October November December".split(" ");

/** What C calls broken down: year, month from 0, day, hours, minutes, seconds, weekday, day of the year from 0. */
function brokenDown(seconds: number, zone = UTC): Json {
  const at = wallTime(zone, Math.floor(seconds) * 1_000);
  if (Number.isNaN(at.getTime())) throw new JqError("error converting number of seconds since epoch to datetime");
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  const fraction = Math.round((seconds - Math.floor(seconds)) * 1e6) / 1e6;
  const clock = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds() + fraction];
  return [year, month, day, ...clock, at.getUTCDay(), yearDay(at)];
}

/** Seconds since 1970 in UTC. */
function secondsOf(time: Json, name: string): number {
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

/** Functions of dates in UTC. */
export const DATES: Readonly<Record<string, ValueFunction>> = {
  "now/0": () => Date.now() / 1_000,
  "mktime/0": (input) => secondsOf(input, "mktime"),
  "gmtime/0": (input) => brokenDown(numeric(input)),
  "strptime/1": (input, format) => {
    if (typeof input === "string" && typeof format === "string") return parsed(input, format);
    throw new JqError("strptime/1 requires string inputs and arguments");
  },
  "strftime/1": (input, format) => {
    const name = "strftime/1";
    return formatted(isNumber(input) ? Number(input) : secondsOf(input, name), textOf(format, name), {
      name,
      zone: UTC,
    });
  },
};

/** Functions of dates in the zone that the variable `TZ` names. */
export const LOCAL_DATES: Readonly<Record<string, (args: readonly Filter[]) => Filter>> = {
  "localtime/0": () => (place, env, emit) => emit(computed(brokenDown(numeric(place.value), zoneIn(env)), place)),
  "strflocaltime/1":
    ([format = () => {}]) =>
    (place, env, emit) =>
      each(format, place, env)((given) => emit(computed(localText(place.value, given, zoneIn(env)), place))),
};

function localText(input: Json, format: Json, zone: Zone): string {
  const name = "strflocaltime/1";
  const seconds = isNumber(input) ? Number(input) : momentOfAny(zone, secondsOf(input, name) * 1_000) / 1_000;
  return formatted(seconds, textOf(format, name), { name, zone });
}

function zoneIn({ host }: Env): Zone {
  try {
    return zoneOf(host.env.get("TZ"));
  } catch (error) {
    if (error instanceof Refusal) throw new JqError(error.message);
    throw error;
  }
}

function textOf(format: Json | undefined, name: string): string {
  if (typeof format !== "string") throw new JqError(`${name} requires a string format`);
  return format;
}

/** Formats a time as `strftime` does. */
function formatted(seconds: number, format: string, { name, zone }: Formatting): string {
  return strftime(format, { ms: Math.floor(seconds) * 1_000, zone }, (conversion) => {
    throw new JqError(`${name}: unknown conversion ${conversion}`);
  });
}

interface Formatting {
  /** The function that asks for it. */
  readonly name: string;
  readonly zone: Zone;
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

function parsed(text: string, format: string): Json {
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
