import type { Zone } from "./zone.ts";
import { offsetText, zoneOf } from "./zones.ts";

const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAY_MS = 86_400_000;

/** A moment to be formatted. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly ms: number;
  readonly zone: Zone;
  /** Digits of the fraction of the second, for `%N`; by default there is none, and the conversion is unknown. */
  readonly nanoseconds?: string | undefined;
}

/** A conversion: its flags, width and letter, which colons may precede. */
const CONVERSION = /%([-_0^#+]*)([1-9]\d*)?[EO]?(:{0,3}[a-zA-Z%])/g;

/** Formats a moment as `strftime` does, with GNU's flags and widths; `unknown` says what other conversions become. */
export function strftime(format: string, moment: Moment, unknown: (conversion: string) => string): string {
  const { ms, zone } = moment;
  const { offset, name } = zone(ms);
  const at = new Date(ms + offset * 1000);
  const expand = (text: string): string =>
    text.replace(CONVERSION, (all, ...found: readonly (string | undefined)[]) => {
      const [flags = "", width = "", letter = ""] = found;
      const [fill, size, value] = zonedPart(letter, offset, name) ?? partOf(at, ms, letter) ?? [];
      if (letter === "N" && moment.nanoseconds !== undefined) return moment.nanoseconds.slice(0, Number(width || 9));
      if (value === undefined || fill === undefined || size === undefined) return unknown(all);
      return padded(fill === "=" ? expand(value) : value, { flags, width, fill, size });
    });
  return expand(format);
}

/** Formats seconds since the epoch for `%(…)T` of printf; without a format, the time alone. */
export function formatTime(format: string, seconds: number, tz: string | undefined): string {
  return strftime(format || "%X", { ms: seconds * 1000, zone: zoneOf(tz) }, (unknown) => unknown);
}

interface Padding {
  readonly flags: string;
  readonly width: string;
  /** What fills the usual width; `=` for a value that was itself a format. */
  readonly fill: Fill;
  readonly size: number;
}

function padded(value: string, { flags, width, fill, size }: Padding): string {
  const how = flags.match(/[-_0+](?=[^-_0+]*$)/)?.[0];
  const pad = how === "_" ? " " : how === "0" || how === "+" ? "0" : fill === "=" || fill === "" ? " " : fill;
  const least = how === "-" ? 0 : Number(width) || (fill === "=" ? 0 : size);
  const isSigned = pad === "0" && /^[-+]\d/.test(value);
  const text = isSigned ? value.charAt(0) + value.slice(1).padStart(least - 1, "0") : value.padStart(least, pad);
  if (flags.includes("^")) return text.toUpperCase();
  if (!flags.includes("#")) return text;
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
}

type Fill = "0" | " " | "=" | "";
/** What fills a value, to which width, and the value. */
type Part = readonly [fill: Fill, size: number, value: string];

function zonedPart(letter: string, offset: number, name: string): Part | null {
  switch (letter) {
    case "z":
      return ["", 0, offsetText(offset)];
    case ":z":
      return ["", 0, offsetText(offset, ":")];
    case "::z":
      return ["", 0, offsetText(offset, ":", 3)];
    case ":::z":
      return ["", 0, offsetText(offset, ":", offset % 60 !== 0 ? 3 : offset % 3600 === 0 ? 1 : 2)];
    case "Z":
      return ["", 0, name];
    default:
      return null;
  }
}

/** A part of a time as clocks show it, in the UTC fields of a date. */
function partOf(at: Date, ms: number, letter: string): Part | null {
  const [year, month, weekday, hours] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDay(), at.getUTCHours()];
  const two = (value: number): Part => ["0", 2, String(value)];
  const text = (value = ""): Part => ["", 0, value];
  const same = (format: string): Part => ["=", 0, format];
  const parts: Readonly<Record<string, () => Part>> = {
    "%": () => text("%"),
    a: () => text((DAYS[weekday] ?? "").slice(0, 3)),
    A: () => text(DAYS[weekday]),
    b: () => text((MONTHS[month] ?? "").slice(0, 3)),
    B: () => text(MONTHS[month]),
    c: () => same("%a %b %e %H:%M:%S %Y"),
    C: () => two(Math.floor(year / 100)),
    d: () => two(at.getUTCDate()),
    D: () => same("%m/%d/%y"),
    e: () => [" ", 2, String(at.getUTCDate())],
    F: () => same("%Y-%m-%d"),
    G: () => ["0", 4, String(isoWeek(at).year)],
    g: () => two(isoWeek(at).year % 100),
    h: () => same("%b"),
    H: () => two(hours),
    I: () => two(hours % 12 || 12),
    j: () => ["0", 3, String(yearDay(at) + 1)],
    k: () => [" ", 2, String(hours)],
    l: () => [" ", 2, String(hours % 12 || 12)],
    m: () => two(month + 1),
    M: () => two(at.getUTCMinutes()),
    n: () => text("\n"),
    p: () => text(hours < 12 ? "AM" : "PM"),
    P: () => text(hours < 12 ? "am" : "pm"),
    q: () => text(String(Math.floor(month / 3) + 1)),
    r: () => same("%I:%M:%S %p"),
    R: () => same("%H:%M"),
    s: () => text(String(Math.floor(ms / 1_000))),
    S: () => two(at.getUTCSeconds()),
    t: () => text("\t"),
    T: () => same("%H:%M:%S"),
    u: () => text(String(weekday || 7)),
    U: () => two(Math.floor((yearDay(at) + 7 - weekday) / 7)),
    V: () => two(isoWeek(at).week),
    w: () => text(String(weekday)),
    W: () => two(Math.floor((yearDay(at) + 7 - ((weekday + 6) % 7)) / 7)),
    x: () => same("%m/%d/%y"),
    X: () => same("%H:%M:%S"),
    y: () => two(year % 100),
    Y: () => ["0", year < 1000 ? 1 : 4, String(year)],
  };
  return parts[letter]?.() ?? null;
}

/** Day of the year, from 0, of a date in UTC. */
export function yearDay(at: Date): number {
  return Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0, 1)) / DAY_MS);
}

/** A week is the year's that its Thursday is in. */
function isoWeek(at: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(at.getTime() + (4 - (at.getUTCDay() || 7)) * DAY_MS);
  return { year: thursday.getUTCFullYear(), week: Math.floor(yearDay(thursday) / 7) + 1 };
}
