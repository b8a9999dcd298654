const DAY_MS = 86_400_000;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"] as const;
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7 };
const COUNTS: Readonly<Record<string, number>> = { a: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6 };

const ISO = /\b(\d{4})-(\d{2})(?:-(\d{2}))?/gu;
const DAY_FIRST =
  /\b(\d{1,2})(?:st|nd|rd|th)? (?:of )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?,? (\d{4})\b/giu;
const MONTH_FIRST =
  /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/giu;
const MONTH_YEAR = /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?,? (\d{4})\b/giu;
/** `may` alone is ambiguous, and so are abbreviated months. */
const MONTH_ALONE =
  /\b(january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:in|of|last|since|until|this) (may)\b/giu;
const YESTERDAY = /\b(yesterday|last night)\b/iu;
const LAST_WEEKDAY = /\blast (sun|mon|tue|wed|thu|fri|sat)[a-z]{0,6}\b/giu;
const AGO = /\b(\d{1,2}|a|one|two|three|four|five|six) (day|week)s? ago\b/giu;

interface Day {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 0 for the month as a whole. */
  readonly day: number;
}

/**
 * The dates in a text as index words, independent of their notation: the day, its month with the year, and the month in
 * any year. Given the day on which it was said, `yesterday` and `last Friday` are dates, too.
 */
export function dateWords(plain: string, saidAt: Day | null): string[] {
  const days = [...writtenDays(plain), ...(saidAt === null ? [] : relativeDays(plain, saidAt))];
  const months = [...plain.matchAll(MONTH_YEAR)].map(([, name, year]) => dayOf(year, monthOf(name)));
  const alone = [...plain.matchAll(MONTH_ALONE)].map(([, name, may]) => `dm${two(monthOf(name ?? may))}`);
  return [...new Set([...[...days, ...months].flatMap(wordsFor), ...alone])];
}

/** The first day named in a text; null if none is. */
export function dayIn(plain: string): Day | null {
  return writtenDays(plain).find(({ day }) => day > 0) ?? null;
}

function writtenDays(plain: string): Day[] {
  if (!/\d{4}/u.test(plain)) return [];
  return [
    ...[...plain.matchAll(ISO)].map(([, year, month, day]) => dayOf(year, Number(month), day)),
    ...[...plain.matchAll(DAY_FIRST)].map(([, day, month, year]) => dayOf(year, monthOf(month), day)),
    ...[...plain.matchAll(MONTH_FIRST)].map(([, month, day, year]) => dayOf(year, monthOf(month), day)),
  ];
}

/** Days named relative to the day on which they were said. */
function relativeDays(plain: string, saidAt: Day): Day[] {
  const back = [
    ...(YESTERDAY.test(plain) ? [1] : []),
    ...[...plain.matchAll(AGO)].map(
      ([, count = "", unit = ""]) =>
        (COUNTS[count.toLowerCase()] ?? Number(count)) * (UNIT_DAYS[unit.toLowerCase()] ?? 1),
    ),
    ...[...plain.matchAll(LAST_WEEKDAY)].map(([, name = ""]) => sinceWeekday(name, saidAt)),
  ];
  return back.map((days) => earlier(saidAt, days));
}

/** Number of days since the last such weekday. */
function sinceWeekday(name: string, { year, month, day }: Day): number {
  const today = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  const wanted = WEEKDAYS.findIndex((weekday) => weekday === name.toLowerCase());
  return (today - wanted + 7) % 7 || 7;
}

function earlier({ year, month, day }: Day, days: number): Day {
  return utcDay(Date.UTC(year, month - 1, day) - days * DAY_MS);
}

/** The day of a time in milliseconds since the epoch, in UTC. */
export function utcDay(at: number): Day {
  const date = new Date(at);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function dayOf(year: string | undefined, month: number, day = "0"): Day {
  return { year: Number(year), month, day: Number(day) };
}

function monthOf(name = ""): number {
  return MONTHS.findIndex((month) => month === name.slice(0, 3).toLowerCase()) + 1;
}

function wordsFor({ year, month, day }: Day): string[] {
  const ofMonth = [`d${year}${two(month)}`, `dm${two(month)}`];
  return day === 0 ? ofMonth : [`d${year}${two(month)}${two(day)}`, ...ofMonth];
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
