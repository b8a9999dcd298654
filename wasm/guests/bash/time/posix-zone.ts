import type { Zone } from "./zone.ts";

/** Standard time and its offset; then summer time and its offset. */
const NAMES =
  /^(?:<([A-Za-z0-9+-]{3,})>|([A-Za-z]{3,}))([-+]?\d{1,3}(?::\d\d){0,2})(?:(?:<([A-Za-z0-9+-]{3,})>|([A-Za-z]{3,}))([-+]?\d{1,3}(?::\d\d){0,2})?)?$/;
/** The day on which summer time begins or ends, and the time of day. */
const DAY = /^(?:M\d{1,2}\.[1-5]\.[0-6]|J?\d{1,3})(?:\/[-+]?\d{1,3}(?::\d\d){0,2})?$/;
const TWO_HOURS = 7200;

/**
 * The zone that a text such as `EST5EDT,M3.2.0,M11.1.0` describes; null for other texts, and for summer time without its
 * days, which systems choose differently. Source: POSIX, Environment Variables, TZ.
 */
export function posixZone(text: string): Zone | null {
  const [names = "", ...days] = text.split(",");
  const [found, quoted, plain, offset = "", summerQuoted, summerPlain, summerOffset] = NAMES.exec(names) ?? [];
  const [first, last, ...more] = days;
  if (found === undefined || more.length > 0 || !days.every((day) => DAY.test(day))) return null;
  const standard = { offset: -secondsOf(offset), name: quoted ?? plain ?? "" };
  const summerName = summerQuoted ?? summerPlain;
  if (summerName === undefined) return first === undefined ? () => standard : null;
  if (first === undefined || last === undefined) return null;
  const ahead = summerOffset === undefined ? standard.offset + 3600 : -secondsOf(summerOffset);
  const summer = { offset: ahead, name: summerName };
  const [begins, ends] = [changeOf(first), changeOf(last)];
  return (ms) => {
    const seconds = ms / 1000;
    const year = new Date(ms + standard.offset * 1000).getUTCFullYear();
    const [from, to] = [begins(year) - standard.offset, ends(year) - summer.offset];
    const isSummer = from < to ? seconds >= from && seconds < to : seconds >= from || seconds < to;
    return isSummer ? summer : standard;
  };
}

function secondsOf(clock: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = clock.replace(/^[-+]/, "").split(":").map(Number);
  const size = hours * 3600 + minutes * 60 + seconds;
  return clock.startsWith("-") ? -size : size;
}

/** When clocks change in a year, in seconds since the epoch, by the clock before the change. */
function changeOf(rule: string): (year: number) => number {
  const [day = "", clock] = rule.split("/");
  const time = clock === undefined ? TWO_HOURS : secondsOf(clock);
  return (year) => dayOf(day, year) / 1000 + time;
}

/** Midnight of a day in UTC: `Mm.w.d`, the weekday d of week w of a month; `Jn`, without leap days; or `n`, from 0. */
function dayOf(day: string, year: number): number {
  const [, month, week = "", weekday = ""] = /^M(\d+)\.(\d)\.(\d)$/.exec(day) ?? [];
  if (month === undefined) {
    const number = Number(day.replace("J", ""));
    const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
    const at = day.startsWith("J") ? number - 1 + (isLeap && number >= 60 ? 1 : 0) : number;
    return Date.UTC(year, 0, 1 + at);
  }
  const first = new Date(Date.UTC(year, Number(month) - 1, 1)).getUTCDay();
  const days = new Date(Date.UTC(year, Number(month), 0)).getUTCDate();
  let date = 1 + ((Number(weekday) - first + 7) % 7) + (Number(week) - 1) * 7;
  while (date > days) date -= 7;
  return Date.UTC(year, Number(month) - 1, date);
}
