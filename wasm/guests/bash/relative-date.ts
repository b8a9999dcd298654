type Unit = "second" | "minute" | "hour" | "day" | "week" | "fortnight" | "month" | "year";

const TERM =
  /(?<![\w:.])(?:(?<sign>[-+]?) ?(?<count>\d{1,9}) ?|(?<which>last|next|this) )?(?<unit>sec(?:ond)?|min(?:ute)?|hour|day|week|fortnight|month|year)s?\b(?<ago> ago\b)?/i;
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, now: 0, tomorrow: 1 };

/**
 * The milliseconds that a text names which counts from a day, as in `2024-01-31 + 1 day`, `2 hours ago` or `tomorrow`;
 * null for other texts. Months and days that there are not run over into the next. Times are UTC.
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
  if (shifts.length === 0) return null;
  const base = baseOf(rest, nowMs);
  return base === null ? null : shifts.reduce(shifted, base);
}

function unitOf(word: string): Unit {
  if (word === "sec" || word === "second") return "second";
  if (word === "min" || word === "minute") return "minute";
  if (word === "hour" || word === "day" || word === "week" || word === "fortnight" || word === "month") return word;
  return "year";
}

function baseOf(text: string, nowMs: number): number | null {
  if (text === "") return nowMs;
  const [, day, time = "00:00"] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?: ?(?:Z|UTC))?)?$/.exec(text) ?? [];
  const found = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return Number.isNaN(found) || !new Date(found).toISOString().startsWith(day ?? "") ? null : found;
}

function shifted(ms: number, [count, unit]: readonly [number, Unit]): number {
  const date = new Date(ms);
  if (unit === "month") date.setUTCMonth(date.getUTCMonth() + count);
  else if (unit === "year") date.setUTCFullYear(date.getUTCFullYear() + count);
  else
    return (
      ms +
      count *
        { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000, fortnight: 1_209_600_000 }[
          unit
        ]
    );
  return date.getTime();
}
