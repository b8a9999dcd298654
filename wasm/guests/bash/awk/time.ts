import { strftime as formatted } from "../time/format.ts";
import type { Zone } from "../time/zone.ts";
import { momentOfAny } from "../time/zones.ts";

const HOUR_MS = 3_600_000;

/** UTC as gawk names it. */
export const GREENWICH: Zone = () => ({ offset: 0, name: "GMT" });

/** Seconds of `YYYY MM DD HH MM SS`, which may be followed by whether that is summer time; -1 for other texts. */
export function timeOf(text: string, zone: Zone): number {
  const parts = text.match(/-?\d+/g)?.map(Number) ?? [];
  if (parts.length < 6) return -1;
  const [year = 0, month = 0, day, hour, minute, second, summer = -1] = parts;
  const wallMs = Date.UTC(year, month - 1, day, hour, minute, second);
  if (Number.isNaN(wallMs)) return -1;
  const ms = momentOfAny(zone, wallMs);
  // When clocks are set back, they show a time twice, and the first moment is in summer time.
  const otherMs = summer > 0 ? ms - HOUR_MS : summer === 0 ? ms + HOUR_MS : ms;
  const isSameWall = otherMs + zone(otherMs).offset * 1000 === ms + zone(ms).offset * 1000;
  return (isSameWall ? otherMs : ms) / 1000;
}

export function now(): number {
  return Math.floor(Date.now() / 1000);
}

export function strftime(format = "%a %b %e %H:%M:%S %Z %Y", time = now(), zone = GREENWICH): string {
  return formatted(format, { ms: Math.trunc(time) * 1000, zone }, (unknown) => unknown);
}
