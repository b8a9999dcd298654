import { Refusal } from "../text/command.ts";
import { abbreviationIn } from "./abbreviations.ts";
import type { Zone } from "./zone.ts";
import { momentAt, momentOfAny, wallTime, zoneOf } from "./zones.ts";

type Unit = "second" | "minute" | "hour" | "day" | "week" | "fortnight" | "month" | "year";

const TERM =
  /(?<![\w:.])(?:(?<sign>[-+]?) ?(?<count>\d{1,12}) ?|(?<which>last|next|this) )?(?<unit>sec(?:ond)?|min(?:ute)?|hour|day|week|fortnight|month|year)s?\b(?<ago> ago\b)?/i;
/** Named groups of a match for a weekday. */
type Weekday = Readonly<Record<string, string | undefined>>;

const WEEKDAY =
  /(?<![\w:.])(?:(?<which>last|next) |this )?(?<day>sun|mon|tue|wed|thu|fri|sat)(?:(?:s|nes|rs?|ur)?day)?\b[,.]?/i;
const WEEK = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { second: 1_000, minute: 60_000, hour: 3_600_000 };
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, fortnight: 14 };
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, now: 0, tomorrow: 1 };
type Shift = readonly [count: number, unit: Unit];

export interface Given {
  readonly nowMs: number;
  readonly zone: Zone;
}

/** A moment in milliseconds since the epoch, with the digits of the fraction of its second, if some are given. */
export interface Parsed {
  readonly ms: number;
  readonly nanoseconds: string;
}

const WHOLE = "000000000";

/**
 * Parses a date as GNU's `date -d` does, such as `2024-01-31 10:00 CET`, `2 hours ago`, `tomorrow 10:00` or
 * `next friday`; null for other texts. A shift to a day that its month lacks leads into the next month. A time that the
 * zone's clocks skip is none.
 */
export function parseDate(given: string, { nowMs, zone: local }: Given): Parsed | null {
  const [prefix = "", named] = /^\s*TZ="([^"]*)"/.exec(given) ?? [];
  const zone = named === undefined ? local : zoneOf(named);
  const text = given.slice(prefix.length).trim().replace(/\s+/g, " ");
  const [, sign, seconds, fraction = ""] = /^@(-?)(\d+)(?:[.,](\d+))?$/.exec(text) ?? [];
  if (seconds !== undefined) return epochTime(sign === "-", Number(seconds), fraction);
  const [withoutZone, offset] = zoned(` ${text} `, namesOf(zone, nowMs));
  if (offset === null && /\d:\d\d(?::\d\d)? ?[-+] ?\d/.test(withoutZone))
    throw new Refusal(`invalid date '${given}': write the number without a sign`);
  const [rest, shifts] = shiftsOf(withoutZone);
  const { 0: weekdayText = "", groups: weekday } = WEEKDAY.exec(rest) ?? {};
  const words = rest.replace(weekdayText, " ").replace(/\s+/g, " ").trim();
  const isNow = words === "" && weekday === undefined && text !== "" && offset === null;
  const wallNowMs = wallTime(zone, nowMs).getTime();
  const base = isNow ? { wallMs: wallNowMs, nanoseconds: fractionOf(nowMs) } : baseOf(words, wallNowMs, weekday);
  if (base === null) return null;
  if (isNow && !shifts.some(([, unit]) => UNIT_MS[unit] === undefined)) return withShifts(nowMs, shifts, base);
  const shiftedMs = shifts.reduce(shiftedDays, base.wallMs);
  const fixed: Zone = offset === null ? zone : () => ({ offset, name: "" });
  const ms = shiftedMs === base.wallMs ? momentAt(fixed, shiftedMs) : momentOfAny(fixed, shiftedMs);
  return ms === null ? null : withShifts(ms, shifts, base);
}

interface Base {
  /** What clocks show, as a time in UTC. */
  readonly wallMs: number;
  readonly nanoseconds: string;
}

function epochTime(isNegative: boolean, seconds: number, fraction: string): Parsed {
  const nanoseconds = Number(fraction.padEnd(9, "0").slice(0, 9));
  if (!isNegative) return { ms: seconds * 1000, nanoseconds: String(nanoseconds).padStart(9, "0") };
  if (nanoseconds === 0) return { ms: -seconds * 1000, nanoseconds: WHOLE };
  return { ms: (-seconds - 1) * 1000, nanoseconds: String(1e9 - nanoseconds).padStart(9, "0") };
}

/** Digits of the fraction of a second, of which milliseconds are known. */
export function fractionOf(ms: number): string {
  return `${String(ms % 1000).padStart(3, "0")}000000`;
}

/** Abbreviations that a zone uses, with their offsets. */
function namesOf(zone: Zone, nowMs: number): ReadonlyMap<string, number> {
  const times = [0, 91, 182, 273].map((days) => zone(nowMs + days * DAY_MS));
  return new Map(times.map(({ name, offset }) => [name.toUpperCase(), offset]));
}

/** Removes the time zone from the text; returns its offset from UTC in seconds, or null if there is none. */
function zoned(text: string, names: ReadonlyMap<string, number>): readonly [text: string, offset: number | null] {
  const [found, sign, hours, minutes = "00"] =
    /(?<=\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)? ?)([-+])(\d\d):?(\d\d)?(?= )/.exec(text) ?? [];
  if (found !== undefined) {
    const size = Number(hours) * 3600 + Number(minutes) * 60;
    return [text.replace(found, " "), sign === "-" ? -size : size];
  }
  const own = text.split(" ").find((word) => /^[A-Za-z]{3,}$/.test(word) && names.has(word.toUpperCase()));
  if (own !== undefined) return [text.replace(` ${own} `, " "), names.get(own.toUpperCase()) ?? 0];
  const known = abbreviationIn(text);
  return known === null ? [text, null] : [known.rest, known.offset];
}

/** Removes relative parts, such as `2 days ago`. */
function shiftsOf(text: string): readonly [rest: string, shifts: readonly Shift[]] {
  const shifts: Shift[] = [];
  let rest = text;
  for (let found = TERM.exec(rest); found !== null; found = TERM.exec(rest)) {
    const { sign, count, which, unit = "", ago } = found.groups ?? {};
    const size = which === undefined ? Number(count ?? 1) : ({ last: -1, this: 0, next: 1 }[which.toLowerCase()] ?? 0);
    shifts.push([(sign === "-" ? -size : size) * (ago === undefined ? 1 : -1), unitOf(unit.toLowerCase())]);
    rest = `${rest.slice(0, found.index)} ${rest.slice(found.index + found[0].length)}`;
  }
  const words = rest.split(" ");
  for (const word of words) {
    const count = DAYS[word.toLowerCase()];
    if (count !== undefined) shifts.push([count, "day"]);
  }
  return [words.filter((word) => DAYS[word.toLowerCase()] === undefined).join(" "), shifts];
}

function unitOf(word: string): Unit {
  if (word === "sec" || word === "second") return "second";
  if (word === "min" || word === "minute") return "minute";
  if (word === "hour" || word === "day" || word === "week" || word === "fortnight" || word === "month") return word;
  return "year";
}

const CLOCK =
  /(?<![\w:.])(?<hours>\d{1,2})(?::(?<minutes>\d\d)(?::(?<seconds>\d\d)(?:[.,](?<fraction>\d+))?)?)?(?: ?(?<half>[ap])\.?m\.?)?(?![\w:.])/gi;
const MONTHS = "january february march april may june july august september october november december".split(" ");
/** Accepted notations of a date, each with groups for year, month and day. */
const DAY_FORMS: readonly RegExp[] = [
  /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})$/,
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)$/,
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})(?:\/(?<year>\d{4}|\d\d))?$/,
  /^(?<day>\d{1,2})(?: |-)?(?<name>[a-z]{3,9})\.?(?:(?: |-|, ?)(?<year>\d{4}))?$/i,
  /^(?<name>[a-z]{3,9})\.? ?(?<day>\d{1,2})(?:(?: |, ?)(?<year>\d{4}))?$/i,
];

/** Base time. A weekday means the next one from today on, at midnight by default, and is ignored next to a date. */
function baseOf(text: string, wallNowMs: number, weekday?: Weekday): Base | null {
  const joined = text.replace(/^(\d{4}-\d\d?-\d\d?|\d{8})T(?=\d)/i, "$1 ");
  const [clock, ...others] = [...joined.matchAll(CLOCK)].filter(
    ({ groups }) => groups?.["minutes"] !== undefined || groups?.["half"] !== undefined,
  );
  const time = clock === undefined ? 0 : timeOf(clock.groups ?? {});
  if (time === null || others.length > 0) return null;
  const nanoseconds = (clock?.groups?.["fraction"] ?? "").padEnd(9, "0").slice(0, 9);
  const date = joined
    .replace(clock?.[0] ?? "", " ")
    .replace(/\s+/g, " ")
    .trim();
  if (date === "") {
    const midnight = wallNowMs - (((wallNowMs % DAY_MS) + DAY_MS) % DAY_MS);
    return { wallMs: midnight + time + daysUntil(weekday, new Date(midnight).getUTCDay()) * DAY_MS, nanoseconds };
  }
  const midnight = dayOf(date, new Date(wallNowMs).getUTCFullYear());
  return midnight === null ? null : { wallMs: midnight + time, nanoseconds };
}

/** Midnight of a date, as a time in UTC; null if there is no such day. */
function dayOf(text: string, thisYear: number): number | null {
  const groups = DAY_FORMS.map((form) => form.exec(text)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return null;
  const { year, month, name = "", day } = groups;
  const at = month === undefined ? monthOf(name.toLowerCase()) : Number(month) - 1;
  const short = Number(year ?? thisYear);
  const full = year?.length === 2 ? short + (short < 69 ? 2000 : 1900) : short;
  const date = new Date(0);
  date.setUTCFullYear(full, at, Number(day));
  return at < 0 || date.getUTCMonth() !== at ? null : date.getTime();
}

function monthOf(name: string): number {
  return MONTHS.findIndex((month) => [month, month.slice(0, 3)].includes(name === "sept" ? "sep" : name));
}

/** Milliseconds since midnight; null if there is no such time. */
function timeOf({ hours = "", minutes = "0", seconds = "0", half }: Weekday): number | null {
  const isHalf = half !== undefined;
  const hour = isHalf ? (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0) : Number(hours);
  const isWithin = Number(hours) <= (isHalf ? 12 : 23) && Number(minutes) < 60 && Number(seconds) < 61;
  return isWithin ? (hour * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 : null;
}

function daysUntil({ which, day = "" }: Weekday = {}, today: number): number {
  if (day === "") return 0;
  const days = (WEEK.indexOf(day.toLowerCase()) - today + 7) % 7;
  if (which?.toLowerCase() === "last") return days - 7;
  return which !== undefined && days === 0 ? 7 : days;
}

/** Days, months and years are those of the calendar. */
function shiftedDays(wallMs: number, [count, unit]: Shift): number {
  const date = new Date(wallMs);
  if (unit === "month") date.setUTCMonth(date.getUTCMonth() + count);
  else if (unit === "year") date.setUTCFullYear(date.getUTCFullYear() + count);
  else return wallMs + count * (UNIT_DAYS[unit] ?? 0) * DAY_MS;
  return date.getTime();
}

/** Hours and shorter units are lengths of time. */
function withShifts(ms: number, shifts: readonly Shift[], { nanoseconds }: Base): Parsed {
  const sum = shifts.reduce((total, [count, unit]) => total + count * (UNIT_MS[unit] ?? 0), ms);
  return { ms: Math.floor(sum / 1000) * 1000, nanoseconds };
}
