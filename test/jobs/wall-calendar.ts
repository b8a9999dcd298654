/**
 * Computes due times by walking through a year minute by minute, independently of the program, which jumps from one due
 * time to the next.
 */
export interface YearOfExpression {
  readonly cron: string;
  readonly minutes: readonly number[];
  /** Absent if every hour is allowed; the same holds for the other fields. */
  readonly hours?: readonly number[];
  readonly days?: readonly number[];
  readonly months?: readonly number[];
  readonly weekdays?: readonly number[];
}

export interface Year {
  readonly from: number;
  readonly until: number;
  /** The zone's offsets during that time. */
  readonly offsets: readonly Offset[];
}

const MINUTE_MS = 60_000;

export interface Offset {
  readonly since: number;
  readonly ms: number;
}

/** The zone's offsets from UTC during this time, each with the time from which it holds. */
export function offsetsOf(zone: string, from: number, until: number): Offset[] {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  const offsets: Offset[] = [];
  // Offsets change only on full and half hours.
  for (let at = from; at < until; at += 30 * MINUTE_MS) {
    const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign = "+", hours = "0", minutes = "0"] = /GMT(?:([+-])(\d\d):(\d\d))?/u.exec(name) ?? [];
    const ms = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
    if (offsets.at(-1)?.ms !== ms) offsets.push({ since: at, ms });
  }
  return offsets;
}

/**
 * Due times, found by visiting every minute of the wall clock. A minute that is shown twice is due only the first time;
 * a skipped minute is due when the clocks go forward.
 */
export function isDueOn(expression: YearOfExpression, { from, until, offsets }: Year): number[] {
  const due: number[] = [];
  const left = [...offsets];
  let offset = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (let at = from; at < until; at += MINUTE_MS) {
    if (left[0] !== undefined && left[0].since <= at) offset = left.shift()?.ms ?? 0;
    const wall = at + offset;
    if (wall <= reached) continue;
    let isDue = false;
    const first = Number.isFinite(reached) ? reached + MINUTE_MS : wall;
    for (let minute = first; minute <= wall && !isDue; minute += MINUTE_MS) isDue = matches(expression, minute);
    if (isDue) due.push(at);
    reached = wall;
  }
  return due;
}

function matches({ minutes, hours, days, months, weekdays }: YearOfExpression, at: number): boolean {
  // Most minutes of a year fail this check, so no date is made for them.
  if (!minutes.includes((at / MINUTE_MS) % 60)) return false;
  const wall = new Date(at);
  const fits = (allowed: readonly number[] | undefined, value: number) => allowed?.includes(value) ?? true;
  return (
    fits(hours, wall.getUTCHours()) &&
    fits(days, wall.getUTCDate()) &&
    fits(months, wall.getUTCMonth() + 1) &&
    fits(weekdays, wall.getUTCDay())
  );
}
