import { expect, test } from "vitest";
import { parseNaturalDate } from "../../../src/jobs/calendar/natural-date.ts";
import { openZone } from "../../../src/jobs/calendar/wall-clock.ts";

/** A Monday, 09:30 in Paris. */
const NOW = Date.parse("2027-01-04T08:30:00Z");

function due(text: string, now = NOW): string | null {
  const zone = openZone("Europe/Paris");
  const at = zone === null ? null : parseNaturalDate(text, zone, now);
  return at === null ? null : new Date(at).toISOString();
}

test.each([
  ["tomorrow 9:00", "2027-01-05T08:00:00.000Z"],
  ["tomorrow at 9", "2027-01-05T08:00:00.000Z"],
  ["Tomorrow at 9 AM", "2027-01-05T08:00:00.000Z"],
  ["9am tomorrow", "2027-01-05T08:00:00.000Z"],
  ["today 17:30", "2027-01-04T16:30:00.000Z"],
  // A time that has passed today is returned, so that the caller can say so.
  ["today 8:00", "2027-01-04T07:00:00.000Z"],
  ["17:30", "2027-01-04T16:30:00.000Z"],
  ["9am", "2027-01-05T08:00:00.000Z"],
  ["12am", "2027-01-04T23:00:00.000Z"],
  ["12 pm", "2027-01-04T11:00:00.000Z"],
  ["friday 5pm", "2027-01-08T16:00:00.000Z"],
  ["on Fri at 17:00", "2027-01-08T16:00:00.000Z"],
  ["sunday 9:00", "2027-01-10T08:00:00.000Z"],
  ["monday 10:00", "2027-01-04T09:00:00.000Z"],
  ["monday 9:00", "2027-01-11T08:00:00.000Z"],
  ["next monday 10:00", "2027-01-11T09:00:00.000Z"],
])("%s is %s", (text, instant) => {
  expect(due(text)).toBe(instant);
});

test.each([
  "tomorrow",
  "9",
  "at 9",
  "25:00",
  "13pm",
  "0am",
  "9:60",
  "tomorrow 2029Z",
  "friday",
  "at noon",
  "every friday 9:00",
  "now",
  "soon",
  "",
])("“%s” is not accepted", (text) => {
  expect(due(text)).toBeNull();
});

test("the local time is kept across a daylight saving change", () => {
  expect(due("tomorrow 9:00", Date.parse("2027-03-27T12:00:00Z"))).toBe("2027-03-28T07:00:00.000Z");
});
