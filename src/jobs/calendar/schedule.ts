import { Cron } from "croner";
import { distance } from "fastest-levenshtein";
import { counted } from "../../core/text/counted.ts";
import { plainLine } from "../../core/text/plain-text.ts";
import { NICKNAMES, nearestExample } from "./cron-phrases.ts";
import { openZone, type Zone } from "./wall-clock.ts";

/**
 * When a job is due. Expressions refer to wall time: a time skipped in spring is due when the clocks change, once for
 * everything skipped; a time shown twice in autumn is due only the first time.
 */
export type Schedule =
  | { readonly type: "cron"; readonly expression: string; readonly wall: Cron; readonly zone: Zone }
  /** A reminder, due once. In milliseconds since the epoch. */
  | { readonly type: "once"; readonly at: number; readonly zone: Zone };

export type ReadSchedule =
  | { readonly type: "schedule"; readonly schedule: Schedule }
  /** The reason for the refusal, as a sentence. */
  | { readonly type: "refused"; readonly reason: string };

/** The time in a job's row. `dueOnce` is in milliseconds since the epoch. */
export interface ScheduleText {
  readonly cron: string | null;
  readonly dueOnce: number | null;
  readonly timezone: string;
}

export function isSameTime(one: ScheduleText, other: ScheduleText): boolean {
  return one.cron === other.cron && one.dueOnce === other.dueOnce && one.timezone === other.timezone;
}

const FIELDS = "five fields (minute hour day month weekday), or six with seconds first";

const WITH_TIME = "holds a time with a colon; an expression has minute and hour as fields, `30 9` for 9:30.";

/** Maximum characters of an expression, enough for a list of all minutes. */
const MAX_CHARS = 250;

/** Reads a schedule, or says what is wrong with it. */
export function readSchedule({ cron, dueOnce, timezone }: ScheduleText): ReadSchedule {
  const zone = openZone(timezone);
  if (zone === null) return refused(unknownZone(timezone));
  if (cron === null) {
    if (dueOnce === null) return refused("It has neither a schedule nor a due time.");
    return { type: "schedule", schedule: { type: "once", at: dueOnce, zone } };
  }
  const expression = cron.trim().replaceAll(/\s+/gu, " ");
  const count = expression === "" ? 0 : expression.split(" ").length;
  if (/^(?:CRON_)?TZ=/iu.test(expression))
    return refused("A cron expression can't contain a time zone; set it with `timezone`.");
  if (expression.length > MAX_CHARS) return refused(`A cron expression can have at most ${MAX_CHARS} characters.`);
  const isNickname = expression.startsWith("@");
  if (isNickname && NICKNAMES[expression.toLowerCase()] === undefined) {
    const known = Object.keys(NICKNAMES).join(", ");
    return refused(`I don't know \`${expression}\`; use ${known}. ${nearestExample(expression)}`);
  }
  if (!isNickname && count !== 5 && count !== 6) {
    const has = `\`${expression}\` has ${counted(count, "field")}; a cron expression has ${FIELDS}.`;
    return refused(`${has} ${nearestExample(expression)}`);
  }
  // croner would take the whole for one date.
  if (expression.includes(":")) return refused(`\`${expression}\` ${WITH_TIME} ${nearestExample(expression)}`);
  if (count === 6 && expression.includes("?"))
    return refused(`${questioned(expression)} ${nearestExample(expression)}`);
  const plain = asCron(expression);
  const wall = wallCron(plain);
  if (typeof wall === "string") {
    return refused(`\`${expression}\` is not a cron expression: ${wall}. ${nearestExample(expression)}`);
  }
  const schedule: Schedule = { type: "cron", expression: plain, wall, zone };
  if (wall.nextRun(new Date(0)) === null) return refused(`\`${expression}\` never occurs: there is no such date.`);
  return { type: "schedule", schedule };
}

/** The first due time after an instant, in milliseconds since the epoch; null if there is none. */
export function nextDue(schedule: Schedule, after: number): number | null {
  if (schedule.type === "once") return schedule.at > after ? schedule.at : null;
  const { wall, zone } = schedule;
  for (let shown = nextWall(wall, zone.wallAt(after)); shown !== null; ) {
    const instant = zone.instantOf(shown);
    if (instant > after) return instant;
    // This wall time is being shown for the second time, so the next due time comes after the repeated range.
    shown = nextWall(wall, Math.max(shown, zone.endOfRepeat(shown) - 1));
  }
  return null;
}

export function nextDueTimes(schedule: Schedule, after: number, count: number): number[] {
  const times: number[] = [];
  for (let due = nextDue(schedule, after); due !== null && times.length < count; due = nextDue(schedule, due)) {
    times.push(due);
  }
  return times;
}

/** Spans searched backwards from the end until they contain enough due times. In milliseconds. */
const SPANS_MS = [3_600_000, 86_400_000, 30 * 86_400_000];

export interface DueTimes {
  /** Oldest first. */
  readonly times: readonly number[];
  /** Whether there were earlier ones that are not listed. */
  readonly isCut: boolean;
}

/** The newest `limit` due times in (after, until]. */
export function dueBetween(
  schedule: Schedule,
  { after, until }: { after: number; until: number },
  limit: number,
): DueTimes {
  const spans = [...SPANS_MS.filter((span) => until - span > after), until - after];
  for (const span of spans) {
    const from = until - span;
    const times: number[] = [];
    for (let due = nextDue(schedule, from); due !== null && due <= until; due = nextDue(schedule, due)) times.push(due);
    if (times.length >= limit || from <= after) {
      return { times: times.slice(-limit), isCut: times.length > limit || from > after };
    }
  }
  return { times: [], isCut: false };
}

/** The first wall time after the given one that matches the expression. */
function nextWall(wall: Cron, after: number): number | null {
  return wall.nextRun(new Date(after))?.getTime() ?? null;
}

/** Full names, of which schedulers know only the first three letters. */
const NAMES =
  /\b(?:(?:sun|mon|tues|wednes|thurs|fri|satur)day|january|february|march|april|june|july|august|september|october|november|december)\b/giu;

/** Converts to the usual notation: `Mon` for `Monday`, and a star before a step that has nothing there. */
function asCron(typed: string): string {
  const fields = typed.replaceAll(NAMES, (name) => name.slice(0, 3));
  return fields.replaceAll(/(?<=^|[ ,])\/(?=\d)/gu, "*/");
}

/** An expression in UTC, so that croner computes wall times; a string says why it cannot be read. */
function wallCron(expression: string): Cron | string {
  try {
    // Allows 5/10, from 5 on every 10.
    return new Cron(expression, { utcOffset: 0, paused: true, sloppyRanges: true });
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    return (
      error.message
        .replace(/^[A-Za-z]+: /u, "")
        .replace(/\.$/u, "")
        // croner counts days and months from 0 in its messages.
        .replace(/(?<=for (?:day|month): )-?\d+$/u, (counted) => String(Number(counted) + 1))
        .replace("dayOfWeek", "weekday")
    );
  }
}

/** Schedulers that know `?` put either seconds first or the year last in a sixth field; which is meant is unknown. */
function questioned(expression: string): string {
  return `\`${expression}\` has six fields and a \`?\`, which may mean seconds first or the year last. Write five fields (minute hour day month weekday), with \`*\` for \`?\`.`;
}

/** Maximum number of changed letters in a misspelt name. */
const MAX_EDITS = 3;

export function unknownZone(typed: string): string {
  const name = plainLine(typed, 60);
  const wanted = name.toLowerCase().replaceAll(" ", "_");
  const farFrom = (known: string) => distance(known.toLowerCase(), wanted);
  const [closest] = Intl.supportedValuesOf("timeZone")
    // Matches the city alone, too, but more strictly, because short names resemble others easily.
    .map((zone) => ({
      zone,
      slips: Math.min(farFrom(zone), farFrom(zone.slice(zone.lastIndexOf("/") + 1)) + MAX_EDITS - 1),
    }))
    .toSorted((a, b) => a.slips - b.slips);
  const meant = closest !== undefined && closest.slips <= MAX_EDITS ? ` Did you mean ${closest.zone}?` : "";
  return `There is no time zone \`${name}\`.${meant === "" ? " Write zones like Europe/Paris." : meant}`;
}

function refused(reason: string): ReadSchedule {
  return { type: "refused", reason };
}
