import cronstrue from "cronstrue";
import { DAYS, NICKNAMES } from "./cron-phrases.ts";
import type { Schedule } from "./schedule.ts";
import { openZone } from "./wall-clock.ts";

const WEEKDAYS: Readonly<Record<string, string>> = {
  MON: "1",
  TUE: "2",
  WED: "3",
  THU: "4",
  FRI: "5",
  SAT: "6",
  SUN: "0",
};

/** When a job is due, in words: `every weekday at 09:00 Europe/Paris`. */
export function sentenceOf(schedule: Schedule): string {
  const zone = schedule.zone.name;
  if (schedule.type === "once") return `once, on ${timeIn(schedule.at, zone)} ${zone}`;
  return `${expressionInWords(schedule.expression)} ${zone}`;
}

function expressionInWords(expression: string): string {
  const fields = (NICKNAMES[expression.toLowerCase()] ?? expression).toUpperCase().split(" ");
  const [seconds, minute = "", hour = "", ...days] = fields.length === 6 ? fields : ["0", ...fields];
  const spoken = DAYS[days.join(" ").replaceAll(/[A-Z]{3}/gu, (name) => WEEKDAYS[name] ?? name)];
  if (spoken !== undefined && seconds === "0" && isNumber(minute) && isNumber(hour)) {
    return `${spoken} at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  }
  const words = eitherDay(fields) ?? inWords(fields.join(" "));
  return words.charAt(0).toLowerCase() + words.slice(1);
}

const ANY: ReadonlySet<string> = new Set(["*", "?"]);

/** Describes an expression with a day of the month and a weekday, either of which makes it due; null without both. */
function eitherDay(fields: readonly string[]): string | null {
  const [day = "*", month = "*", weekday = "*"] = fields.slice(-3);
  // After a plus, the weekday has to match as well.
  if (ANY.has(day) || ANY.has(weekday) || weekday.startsWith("+")) return null;
  const inWordsOf = (...days: readonly string[]) => inWords([...fields.slice(0, -3), ...days].join(" "));
  const time = inWordsOf("*", "*", "*");
  const parts = [inWordsOf(day, "*", "*"), inWordsOf("*", "*", weekday), inWordsOf("*", month, "*")];
  if (!parts.every((part) => part.startsWith(time))) return null;
  const [onDay = "", onWeekday = "", inMonth = ""] = parts.map((part) => part.slice(time.length));
  return `${time}${onDay} or ${onWeekday.replace(/^, (?:only )?/u, "")}${inMonth}`;
}

/** The expression in words, or as it is if cronstrue cannot describe it. */
function inWords(expression: string): string {
  try {
    return cronstrue.toString(expression, { use24HourTimeFormat: true });
  } catch {
    return `\`${expression}\``;
  }
}

function isNumber(field: string): boolean {
  return /^\d{1,2}$/u.test(field);
}

/** `Mon 23 Nov 2026 09:00`, with seconds if there are any. In UTC if the zone no longer exists. */
export function timeIn(instant: number, timeZone: string): string {
  const known = openZone(timeZone) === null ? "UTC" : timeZone;
  const parts: Record<string, string> = {};
  for (const { type, value } of dateTimeFormat(known).formatToParts(instant)) parts[type] = value;
  const { weekday, day, month, year, hour, minute, second } = parts;
  return `${weekday} ${day} ${month} ${year} ${hour}:${minute}${second === "00" ? "" : `:${second}`}`;
}

/** `09:00` */
export function clockTimeIn(instant: number, timeZone: string): string {
  return timeIn(instant, timeZone).replace(/^.* /u, "");
}

function dateTimeFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}
