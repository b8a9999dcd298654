/**
 * Wall time in a time zone, represented by the milliseconds since the epoch that show the same date and time in UTC, so
 * that wall times can be used in calculations.
 */

export interface Zone {
  /** IANA name, as spelt by Intl. */
  readonly name: string;
  wallAt(instant: number): number;
  /**
   * The instant with this wall time: the first, if it is shown twice; the moment of the clock change, if it is skipped.
   */
  instantOf(wall: number): number;
  /** For a wall time in a range that is shown twice, the wall time at the end of the range. */
  endOfRepeat(wall: number): number;
  /** The first instant with the offset that applies at `late`; `early` has another one. */
  changeBetween(early: number, late: number): number;
}

/** More than any offset from UTC and any range that clocks skip. */
const AROUND_MS = 48 * 3_600_000;

/** Null if there is no such zone. */
export function openZone(name: string): Zone | null {
  const format = formatOf(name);
  if (format === null) return null;
  const wallAt = (instant: number) => wallIn(format, instant);
  const offsetAt = (instant: number) => wallAt(instant) - instant;

  const changeBetween = (early: number, late: number): number => {
    const offset = offsetAt(late);
    let [before, after] = [early, late];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetAt(middle) === offset) after = middle;
      else before = middle;
    }
    return after;
  };

  return {
    name: format.resolvedOptions().timeZone,
    wallAt,
    instantOf(wall) {
      const offsets = new Set([offsetAt(wall - AROUND_MS), offsetAt(wall + AROUND_MS)]);
      const shown = [...offsets].map((offset) => wall - offset).filter((instant) => wallAt(instant) === wall);
      return shown.length > 0 ? Math.min(...shown) : changeBetween(wall - AROUND_MS, wall + AROUND_MS);
    },
    endOfRepeat(wall) {
      const change = changeBetween(wall - AROUND_MS, wall + AROUND_MS);
      return wallAt(change - 1) + 1;
    },
    changeBetween,
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function wallIn(format: Intl.DateTimeFormat, instant: number): number {
  const fields: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(instant)) fields[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  // Offsets from UTC are whole seconds.
  const milliseconds = ((instant % 1_000) + 1_000) % 1_000;
  return Date.UTC(year, month - 1, day, hour, minute, second) + milliseconds;
}
