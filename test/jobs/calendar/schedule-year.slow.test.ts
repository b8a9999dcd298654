import { beforeAll, describe, expect, test } from "vitest";
import { nextDue, readSchedule, type Schedule } from "../../../src/jobs/calendar/schedule.ts";
import { isDueOn, type Offset, offsetsOf, type YearOfExpression } from "../wall-calendar.ts";

function schedule(cron: string, timezone: string): Schedule {
  const read = readSchedule({ cron, dueOnce: null, timezone });
  if (read.type === "refused") throw new Error(read.reason);
  return read.schedule;
}

/** Expressions, each with its fields as the test's own calendar takes them. */
const YEAR: readonly YearOfExpression[] = [
  { cron: "0 9 * * *", minutes: [0], hours: [9] },
  { cron: "0 9 * * 1-5", minutes: [0], hours: [9], weekdays: [1, 2, 3, 4, 5] },
  { cron: "30 2 * * *", minutes: [30], hours: [2] },
  { cron: "0,20,40 2 * * *", minutes: [0, 20, 40], hours: [2] },
  { cron: "15 1 * * *", minutes: [15], hours: [1] },
  { cron: "*/30 * * * *", minutes: [0, 30] },
  { cron: "0 */3 * * *", minutes: [0], hours: [0, 3, 6, 9, 12, 15, 18, 21] },
  { cron: "@hourly", minutes: [0] },
  { cron: "@daily", minutes: [0], hours: [0] },
  { cron: "59 1-3 * * SUN", minutes: [59], hours: [1, 2, 3], weekdays: [0] },
  { cron: "0 0 3 1 * *", minutes: [0], hours: [3], days: [1] },
  { cron: "45 23 * MAR,OCT,NOV SAT", minutes: [45], hours: [23], months: [3, 10, 11], weekdays: [6] },
];
const ZONES = ["Europe/Paris", "America/New_York", "Australia/Lord_Howe"];

describe.each(ZONES)("over a year in %s, including both daylight saving changes", (zone) => {
  const from = Date.UTC(2027, 0, 1);
  const until = Date.UTC(2028, 0, 1);
  let offsets: readonly Offset[] = [];
  beforeAll(() => {
    offsets = offsetsOf(zone, from, until);
  });

  test.each(YEAR)("$cron is due exactly once at each of its wall clock times", (expression) => {
    const expected = isDueOn(expression, { from, until, offsets });
    const due: number[] = [];
    const read = schedule(expression.cron, zone);
    for (let at = nextDue(read, from - 1); at !== null && at < until; at = nextDue(read, at)) due.push(at);
    expect(due).toEqual(expected);
  });

  test("the test's own calendar contains two daylight saving changes", () => {
    expect(offsets).toHaveLength(3);
  });
});
