type Unit = "second" | "minute" | "hour" | "day" | "week" | "fortnight" | "month" | "year";

const TERM =
  /(?<![\w:.])(?:(?<sign>[-+]?) ?(?<count>\d{1,12}) ?|(?<which>last|next|this) )?(?<unit>sec(?:ond)?|min(?:ute)?|hour|day|week|fortnight|month|year)s?\b(?<ago> ago\b)?/i;
/** Named groups of a match for a weekday. */
type Weekday = Readonly<Record<string, string | undefined>>;

const WEEKDAY =
  /(?<![\w:.])(?:(?<which>last|next) |this )?(?<day>sun|mon|tue|wed|thu|fri|sat)(?:(?:s|nes|rs?|ur)?day)?\b/i;
const WEEK = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DAY_MS = 86_400_000;
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, now: 0, tomorrow: 1 };

/**
 * Parses a date or a relative date, such as `2024-01-31 + 1 day`, `2 hours ago`, `tomorrow 10:00` or `next friday`, to
 * milliseconds in UTC; null for other texts. No text means midnight. A shift to a day that its month lacks leads into the
 * next month.
 */
export function dateOf(text: string, nowMs: number): number | null {
  if (text.trim() === "") return dateOf("00:00", nowMs);
  const [withoutZone, zoneMs] = zoned(` ${text.trim().replace(/\s+/g, " ")} `);
  let rest = withoutZone;
  if (zoneMs === null && /\d:\d\d(?::\d\d)? ?[-+] ?\d/.test(rest))
    throw new Error(`invalid date '${text}': write the number without a sign`);
  const shifts: [count: number, unit: Unit][] = [];
  for (let found = TERM.exec(rest); found !== null; found = TERM.exec(rest)) {
    const { sign, count, which, unit = "", ago } = found.groups ?? {};
    const size = which === undefined ? Number(count ?? 1) : ({ last: -1, this: 0, next: 1 }[which.toLowerCase()] ?? 0);
    shifts.push([(sign === "-" ? -size : size) * (ago === undefined ? 1 : -1), unitOf(unit.toLowerCase())]);
    rest = `${rest.slice(0, found.index)} ${rest.slice(found.index + found[0].length)}`;
  }
  const words = rest.trim().split(" ");
  for (const word of words) {
    const count = DAYS[word.toLowerCase()];
    if (count !== undefined) shifts.push([count, "day"]);
  }
  rest = words.filter((word) => DAYS[word.toLowerCase()] === undefined).join(" ");
  const { 0: named = "", groups: weekday } = WEEKDAY.exec(rest) ?? {};
  rest = rest.replace(named, "").trim();
  if (
    shifts.length === 0 &&
    weekday === undefined &&
    (zoneMs ?? 0) === 0 &&
    !/^\d{8}$|^\d{1,2}:\d\d(?::\d\d)?$|[ap]m$/i.test(rest)
  )
    return null;
  const base = baseOf(rest, nowMs, weekday);
  return base === null ? null : shifts.reduce(shifted, base - (zoneMs ?? 0));
}

/** Removes the time zone after a time from the text; returns its offset from UTC, or null if there is none. */
function zoned(text: string): readonly [text: string, zoneMs: number | null] {
  const [found, sign, hours, minutes = "00"] =
    /(?<=\d:\d\d(?::\d\d(?:\.\d{1,9})?)? ?)(?:([-+])(\d\d):?(\d\d)?|Z|UTC|GMT)(?= )/.exec(text) ?? [];
  if (found === undefined) return [text, null];
  const size = (Number(hours ?? 0) * 60 + Number(minutes)) * 60_000;
  return [text.replace(found, ""), sign === undefined ? 0 : sign === "-" ? -size : size];
}

function unitOf(word: string): Unit {
  if (word === "sec" || word === "second") return "second";
  if (word === "min" || word === "minute") return "minute";
  if (word === "hour" || word === "day" || word === "week" || word === "fortnight" || word === "month") return word;
  return "year";
}

const TIME_ALONE = /^(?:\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[ap]m)?|\d{1,2} ?[ap]m)$/i;
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
/** Accepted notations of a date, each with groups for year, month and day. */
const DAY_FORMS: readonly RegExp[] = [
  /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})(?=$|[T ])/,
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?=$|[T ])/,
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})(?=$| )/,
  /^,? ?(?<day>\d{1,2})[ -](?<name>[a-z]{3})[a-z]{0,6}[ -](?<year>\d{4})(?=$| )/i,
  /^(?<name>[a-z]{3})[a-z]{0,6} (?<day>\d{1,2}),? (?<year>\d{4})(?=$| )/i,
];

/** Base time. A weekday means the next one from today on, at midnight by default, and is ignored next to a date. */
function baseOf(text: string, nowMs: number, weekday?: Weekday): number | null {
  if (text === "" && weekday === undefined) return nowMs;
  if (text === "" || TIME_ALONE.test(text)) {
    const midnight = new Date(nowMs - (nowMs % DAY_MS));
    const time = timeOf(text);
    return time === null ? null : midnight.getTime() + time + daysUntil(weekday, midnight.getUTCDay()) * DAY_MS;
  }
  for (const form of DAY_FORMS) {
    const { 0: found = "", groups } = form.exec(text) ?? {};
    if (groups === undefined) continue;
    const time = timeOf(text.slice(found.length).replace(/^[T ]/, ""));
    const month =
      groups["month"] === undefined
        ? MONTHS.indexOf((groups["name"] ?? "").toLowerCase())
        : Number(groups["month"]) - 1;
    const date = new Date(Date.UTC(Number(groups["year"]), month, Number(groups["day"])));
    return time === null || month < 0 || date.getUTCMonth() !== month ? null : date.getTime() + time;
  }
  return null;
}

/** Milliseconds since midnight; null if the text is not a time. */
function timeOf(text: string): number | null {
  if (text === "") return 0;
  const [, hours = "", minutes = "0", seconds = "0", half] =
    /^(\d{1,2})(?::(\d\d)(?::(\d\d(?:\.\d{1,9})?))?)?(?: ?([ap])m)?$/i.exec(text) ?? [];
  if (hours === "" || (half === undefined && !text.includes(":"))) return null;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  const isWithin = hour < 24 && Number(minutes) < 60 && Number(seconds) < 61;
  return isWithin ? (hour * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 : null;
}

function daysUntil({ which, day = "" }: Weekday = {}, today: number): number {
  if (day === "") return 0;
  const days = (WEEK.indexOf(day.toLowerCase()) - today + 7) % 7;
  if (which?.toLowerCase() === "last") return days - 7;
  return which !== undefined && days === 0 ? 7 : days;
}

function shifted(ms: number, [count, unit]: readonly [number, Unit]): number {
  const date = new Date(ms);
  if (unit === "month") date.setUTCMonth(date.getUTCMonth() + count);
  else if (unit === "year") date.setUTCFullYear(date.getUTCFullYear() + count);
  else
    return (
      ms +
      count *
        { second: 1000, minute: 60_000, hour: 3_600_000, day: DAY_MS, week: 604_800_000, fortnight: 1_209_600_000 }[
          unit
        ]
    );
  return date.getTime();
}

/** The reason why times cannot be told in a time zone; null if they can. */
export function zoneProblem(zone: string | undefined): string | null {
  return zone === undefined || /^(?:Etc\/)?(?:UTC|UCT|GMT|Zulu|Universal)?0?$/.test(zone)
    ? null
    : `no time zone but UTC is known here, not ${zone}`;
}

/** The reason why `date` cannot handle the day or the zone; null if it can. */
export function dateProblem(day: string | null, zone: string | undefined): string | null {
  const problem = zoneProblem(zone);
  if (problem !== null) return problem;
  if (/\d\.\d+\.\d/.test(day ?? "")) return `invalid date '${day ?? ""}'`;
  const [text, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)/.exec(day ?? "") ?? [];
  if (text === undefined) return null;
  const found = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  return found.toISOString().startsWith(text) ? null : `invalid date '${day ?? ""}'`;
}
