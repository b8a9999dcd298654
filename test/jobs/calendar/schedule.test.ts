import { expect, test } from "vitest";
import { dueBetween, nextDue, nextDueTimes, readSchedule, type Schedule } from "../../../src/jobs/calendar/schedule.ts";
import { clockTimeIn, sentenceOf, timeIn } from "../../../src/jobs/calendar/sentence.ts";

function schedule(cron: string, timezone = "Europe/Paris"): Schedule {
  const read = readSchedule({ cron, dueOnce: null, timezone });
  if (read.type === "refused") throw new Error(read.reason);
  return read.schedule;
}

test.each([
  // Clocks go from 02:00 to 03:00 at 01:00 UTC on 28 March 2027, and from 03:00 to 02:00 at 01:00 UTC on 31 October.
  { cron: "30 2 * * *", after: "2027-03-27T12:00:00Z", due: ["2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"] },
  { cron: "*/20 2 * * *", after: "2027-03-27T12:00:00Z", due: ["2027-03-28T01:00:00Z", "2027-03-29T00:00:00Z"] },
  { cron: "30 2 * * *", after: "2027-10-30T12:00:00Z", due: ["2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"] },
  { cron: "0 * * * *", after: "2027-10-30T23:30:00Z", due: ["2027-10-31T00:00:00Z", "2027-10-31T02:00:00Z"] },
  { cron: "0 * * * *", after: "2027-10-31T01:30:00Z", due: ["2027-10-31T02:00:00Z", "2027-10-31T03:00:00Z"] },
  { cron: "*/15 * * * * *", after: "2027-10-31T01:59:50Z", due: ["2027-10-31T02:00:00Z", "2027-10-31T02:00:15Z"] },
])("in Paris after $after, $cron is due at $due", ({ cron, after, due }) => {
  const times = nextDueTimes(schedule(cron), Date.parse(after), 2);
  expect(times).toEqual(due.map((time) => Date.parse(time)));
});

test("a schedule on a local day skipped by the zone is due once, at its end", () => {
  const samoa = nextDueTimes(schedule("0 9 * * *", "Pacific/Apia"), Date.parse("2011-12-29T19:30:00Z"), 2);
  expect(samoa.map((time) => new Date(time).toISOString())).toEqual([
    "2011-12-30T10:00:00.000Z",
    "2011-12-30T19:00:00.000Z",
  ]);
});

test.each([
  {
    cron: "61 * * * *",
    reason:
      "`61 * * * *` is not a cron expression: Invalid value for minute: 61. For example, `0 9 * * *` is every day at 09:00.",
  },
  {
    cron: "* * *",
    reason:
      "`* * *` has 3 fields; a cron expression has five fields (minute hour day month weekday), or six with seconds first. For example, `0 9 * * *` is every day at 09:00.",
  },
  {
    cron: "daily",
    reason:
      "`daily` has 1 field; a cron expression has five fields (minute hour day month weekday), or six with seconds first. For example, `@daily` is every day at 00:00.",
  },
  {
    cron: "every friday at 5pm",
    reason:
      "`every friday at 5pm` has 4 fields; a cron expression has five fields (minute hour day month weekday), or six with seconds first. For example, `0 9 * * 5` is every Friday at 09:00.",
  },
  {
    cron: "every friday",
    reason:
      "`every friday` has 2 fields; a cron expression has five fields (minute hour day month weekday), or six with seconds first. For example, `0 9 * * 5` is every Friday at 09:00.",
  },
  {
    cron: "every weekday at 9 o'clock",
    reason:
      "`every weekday at 9 o'clock` is not a cron expression: configuration entry 1 (every) contains illegal characters. For example, `0 9 * * 1-5` is every weekday at 09:00.",
  },
  {
    cron: "every day at 9:00 sharp",
    reason:
      "`every day at 9:00 sharp` holds a time with a colon; an expression has minute and hour as fields, `30 9` for 9:30. For example, `0 9 * * *` is every day at 09:00.",
  },
  {
    cron: "0 9:30 * * *",
    reason:
      "`0 9:30 * * *` holds a time with a colon; an expression has minute and hour as fields, `30 9` for 9:30. For example, `0 9 * * *` is every day at 09:00.",
  },
  {
    cron: "0 0 9 1 1 * 2030",
    reason:
      "`0 0 9 1 1 * 2030` has 7 fields; a cron expression has five fields (minute hour day month weekday), or six with seconds first. For example, `0 9 * * 0,6` is every Saturday and Sunday at 09:00.",
  },
  { cron: "0 0 31 2 *", reason: "`0 0 31 2 *` never occurs: there is no such date." },
  {
    cron: "@reboot",
    reason:
      "I don't know `@reboot`; use @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly. For example, `@weekly` is every week, on Sunday at 00:00.",
  },
  {
    cron: "@every 5m",
    reason:
      "I don't know `@every 5m`; use @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly. For example, `0 9 * * *` is every day at 09:00.",
  },
  ...[
    { cron: "0 9 32 * *", wrong: "day: 32" },
    { cron: "0 9 0 * *", wrong: "day: 0" },
    { cron: "0 9 * 13 *", wrong: "month: 13" },
    { cron: "0 9 * * 8", wrong: "weekday: 8" },
  ].map(({ cron, wrong }) => ({
    cron,
    reason: `\`${cron}\` is not a cron expression: Invalid value for ${wrong}. For example, \`0 9 * * *\` is every day at 09:00.`,
  })),
  {
    cron: "*/0 * * * *",
    reason:
      "`*/0 * * * *` is not a cron expression: Syntax error, illegal stepping: 0. For example, `*/5 * * * *` is every 5 minutes.",
  },
  {
    cron: "0 9 * * *",
    timezone: "Europe/Pari",
    reason: "There is no time zone `Europe/Pari`. Did you mean Europe/Paris?",
  },
  {
    cron: "0 9 * * *",
    timezone: "Narnia",
    reason: "There is no time zone `Narnia`. Write zones like Europe/Paris.",
  },
  { cron: "@daily", timezone: "new york", reason: "There is no time zone `new york`. Did you mean America/New_York?" },
  {
    cron: "CRON_TZ=UTC 0 9 * * *",
    reason: "A cron expression can't contain a time zone; set it with `timezone`.",
  },
])("$cron is refused: $reason", ({ cron, timezone = "Europe/Paris", reason }) => {
  expect(readSchedule({ cron, dueOnce: null, timezone })).toEqual({ type: "refused", reason });
});

test.each([
  ["0 9 * * 1-5", "every weekday at 09:00 Europe/Paris"],
  ["0 9 * * mon-fri", "every weekday at 09:00 Europe/Paris"],
  ["5 14 * * *", "every day at 14:05 Europe/Paris"],
  ["0 30 8 * * SUN", "every Sunday at 08:30 Europe/Paris"],
  ["@daily", "every day at 00:00 Europe/Paris"],
  ["@hourly", "every hour Europe/Paris"],
  ["*/5 * * * *", "every 5 minutes Europe/Paris"],
  ["*/10 * * * * *", "every 10 seconds Europe/Paris"],
  // Other schedulers accept these forms: in Kubernetes and Quartz, a step may follow a single number.
  ["0/15 * * * *", "every 15 minutes Europe/Paris"],
  ["5/10 * * * *", "every 10 minutes, starting at 5 minutes past the hour Europe/Paris"],
  ["/5 * * * *", "every 5 minutes Europe/Paris"],
  ["0 9 * * Monday", "every Monday at 09:00 Europe/Paris"],
  ["0 9 1 January *", "at 09:00, on day 1 of the month, only in January Europe/Paris"],
  ["0 9 1 * *", "at 09:00, on day 1 of the month Europe/Paris"],
  // Days of the month and weekdays are alternatives. Source: POSIX, crontab.
  ["0 9 1-7 * 1", "at 09:00, between day 1 and 7 of the month or on Monday Europe/Paris"],
  [
    "0 9 L 6 1#1",
    "at 09:00, on the last day of the month or on the first Monday of the month, only in June Europe/Paris",
  ],
  ["0 9 ? * 1", "at 09:00, only on Monday Europe/Paris"],
  ["0 9 1 * 5#L", "`0 9 1 * 5#L` Europe/Paris"],
])("%s is described as “%s”", (cron, sentence) => {
  expect(sentenceOf(schedule(cron))).toBe(sentence);
});

test("a reminder is due once", () => {
  const at = Date.parse("2026-12-01T08:30:00Z");
  const read = readSchedule({ cron: null, dueOnce: at, timezone: "Europe/Paris" });
  if (read.type === "refused") throw new Error(read.reason);
  expect(nextDueTimes(read.schedule, at - 1, 3)).toEqual([at]);
  expect(nextDue(read.schedule, at)).toBeNull();
  expect(sentenceOf(read.schedule)).toBe("once, on Tue 1 Dec 2026 09:30 Europe/Paris");
});

test("times are shown in the zone's local time", () => {
  const at = Date.parse("2026-07-01T22:05:00Z");
  expect(timeIn(at, "Asia/Tokyo")).toBe("Thu 2 Jul 2026 07:05");
  expect(clockTimeIn(at + 7_000, "Asia/Tokyo")).toBe("07:05:07");
});

test.each([
  { cron: "0 * * * *", hours: 5, limit: 10, times: 5, isCut: false },
  { cron: "0 * * * *", hours: 500, limit: 10, times: 10, isCut: true },
  { cron: "* * * * * *", hours: 24 * 400, limit: 500, times: 500, isCut: true },
  { cron: "0 0 1 1 *", hours: 24 * 365 * 5, limit: 500, times: 5, isCut: false },
  { cron: "0 0 1 1 *", hours: 1, limit: 500, times: 0, isCut: false },
])("for $hours hours of $cron, the newest $times due times are listed", ({ cron, hours, limit, times, isCut }) => {
  const until = Date.parse("2027-06-15T12:30:30Z");
  const due = dueBetween(schedule(cron), { after: until - hours * 3_600_000, until }, limit);
  expect(due).toMatchObject({ isCut });
  expect(due.times).toHaveLength(times);
  expect(due.times).toEqual(due.times.toSorted((a, b) => a - b));
  expect(due.times.every((time) => time <= until)).toBe(true);
});
