type Unit = "second" | "minute" | "hour" | "day" | "week" | "fortnight" | "month" | "year";

const TERM =
  /(?<![\w:.])(?:(?<sign>[-+]?) ?(?<count>\d{1,9}) ?|(?<which>last|next|this) )?(?<unit>sec(?:ond)?|min(?:ute)?|hour|day|week|fortnight|month|year)s?\b(?<ago> ago\b)?/i;
/** What a pattern has found of a weekday. */
type Weekday = Readonly<Record<string, string | undefined>>;

const WEEKDAY =
  /(?<![\w:.])(?:(?<which>last|next) |this )?(?<day>sun|mon|tue|wed|thu|fri|sat)(?:(?:s|nes|rs?|ur)?day)?\b/i;
const WEEK = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DAY_MS = 86_400_000;
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, now: 0, tomorrow: 1 };

/**
 * The milliseconds that a text names which counts from a day, as in `2024-01-31 + 1 day`, `2 hours ago`, `tomorrow 10:00` or
 * `next friday`; null for other texts. Months and days that there are not run over into the next. Times are UTC.
 */
export function dateOf(text: string, nowMs: number): number | null {
  let rest = ` ${text.trim().replace(/\s+/g, " ")} `;
  if (/\d:\d\d(?::\d\d)? ?[-+] ?\d/.test(rest))
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
  if (shifts.length === 0 && weekday === undefined && !/^\d\d:\d\d(?::\d\d)?$/.test(rest)) return null;
  const base = baseOf(rest, nowMs, weekday);
  return base === null ? null : shifts.reduce(shifted, base);
}

function unitOf(word: string): Unit {
  if (word === "sec" || word === "second") return "second";
  if (word === "min" || word === "minute") return "minute";
  if (word === "hour" || word === "day" || word === "week" || word === "fortnight" || word === "month") return word;
  return "year";
}

/** A weekday is the next one from today on, at midnight where no time is named; beside a date it says nothing. */
function baseOf(text: string, nowMs: number, weekday?: Weekday): number | null {
  if (text === "" && weekday === undefined) return nowMs;
  if (/^(?:\d\d:\d\d(?::\d\d)?)?$/.test(text)) {
    const midnight = new Date(nowMs - (nowMs % DAY_MS));
    const time = Date.parse(`1970-01-01T${text || "00:00"}Z`);
    return midnight.getTime() + time + daysUntil(weekday, midnight.getUTCDay()) * DAY_MS;
  }
  const [, day, time = "00:00"] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?: ?(?:Z|UTC))?)?$/.exec(text) ?? [];
  const found = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return Number.isNaN(found) || !new Date(found).toISOString().startsWith(day ?? "") ? null : found;
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
