import { formatted } from "../jq/dates.ts";

/** Seconds of `YYYY MM DD HH MM SS` in UTC; -1 for other texts. */
export function timeOf(text: string): number {
  const parts = text.match(/-?\d+/g)?.map(Number) ?? [];
  if (parts.length < 6) return -1;
  const [year = 0, month = 0, day, hour, minute, second] = parts;
  const time = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  return Number.isNaN(time) ? -1 : time;
}

export function now(): number {
  return Math.floor(Date.now() / 1000);
}

export function strftime(format = "%a %b %e %H:%M:%S %Z %Y", time = now()): string {
  return formatted(Math.trunc(time), format, "strftime");
}
