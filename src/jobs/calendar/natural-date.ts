import type { Zone } from "./wall-clock.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** After a day, the hour alone is enough. */
const DAY_FIRST =
  /^(?<day>today|tomorrow|(?:on |next )?(?:sun|mon|tue|wed|thu|fri|sat|(?:sun|mon|tues|wednes|thurs|fri|satur)day)) (?:at )?(?<time>\d{1,2}(?::\d{2})?(?: ?[ap]m)?)$/u;
const TIME_FIRST =
  /^(?:at )?(?<time>\d{1,2}:\d{2}(?: ?[ap]m)?|\d{1,2} ?[ap]m)(?: (?<day>today|tomorrow|(?:on |next )?(?:sun|mon|tue|wed|thu|fri|sat|(?:sun|mon|tues|wednes|thurs|fri|satur)day)))?$/u;

/**
 * Reads `tomorrow at 9`, `friday 17:00` or `9am` on the zone's clock; a weekday or a time alone means its next
 * occurrence. In milliseconds since the epoch; null if it is written in another way.
 */
export function parseNaturalDate(text: string, zone: Zone, now: number): number | null {
  const { day, time } = partsOf(text) ?? {};
  const minutes = time === undefined ? null : minutesOf(time);
  if (minutes === null) return null;
  const shown = zone.wallAt(now);
  const today = shown - (((shown % DAY_MS) + DAY_MS) % DAY_MS);
  const at = (days: number) => zone.instantOf(today + days * DAY_MS + minutes * MINUTE_MS);
  if (day === "today") return at(0);
  if (day === "tomorrow") return at(1);
  if (day === undefined) return at(0) > now ? at(0) : at(1);
  const wanted = WEEKDAYS.indexOf(day.replace(/^(?:on|next) /u, "").slice(0, 3));
  const days = (wanted - new Date(today).getUTCDay() + 7) % 7;
  const isToday = days === 0 && !day.startsWith("next ") && at(0) > now;
  return isToday ? at(0) : at(days === 0 ? 7 : days);
}

/** Whether a text has this form, whatever moment it means now. */
export function isNaturalDate(text: string): boolean {
  return partsOf(text) !== undefined;
}

function partsOf(text: string) {
  const words = text.trim().replaceAll(/\s+/gu, " ").toLowerCase();
  return (DAY_FIRST.exec(words) ?? TIME_FIRST.exec(words))?.groups;
}

/** Minutes since midnight; null if it is not a valid time. */
function minutesOf(time: string): number | null {
  const [, hour = "", minute = "0", half] = /^(\d{1,2})(?::(\d{2}))? ?([ap]m)?$/u.exec(time) ?? [];
  const [hours, minutes] = [Number(hour), Number(minute)];
  if (minutes > 59 || (half === undefined ? hours > 23 : hours < 1 || hours > 12)) return null;
  return (half === undefined ? hours : (hours % 12) + (half === "pm" ? 12 : 0)) * 60 + minutes;
}
