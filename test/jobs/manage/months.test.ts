import { expect, test } from "vitest";
import { skillCatalogue } from "../../../src/core/skills/skills.ts";
import { type JobInputContext, readJobInput } from "../../../src/jobs/scheduling/job-input.ts";
import { ANA, CHANNEL, openWorld } from "../world.ts";

// The time is 2027-01-04T08:00Z.
test.each([
  { at: "in 1 month", due: "2027-02-04T08:00:00.000Z" },
  { at: "in 2 months", due: "2027-03-04T08:00:00.000Z" },
  { at: "in 13 months", due: "2028-02-04T08:00:00.000Z" },
  { at: "in 5m", due: "2027-01-04T08:05:00.000Z" },
  { at: "in 5 Minutes", due: "2027-01-04T08:05:00.000Z" },
  { at: "in 90 secs", due: "2027-01-04T08:01:30.000Z" },
  { at: "in 2 hrs", due: "2027-01-04T10:00:00.000Z" },
  { at: "in an hour", due: "2027-01-04T09:00:00.000Z" },
  { at: "in 1 day", due: "2027-01-05T08:00:00.000Z" },
  { at: "in 2 weeks", due: "2027-01-18T08:00:00.000Z" },
])("a reminder $at is due at $due", async ({ at, due }) => {
  const world = await openWorld();
  const id = await world.add({ at, timezone: "UTC", prompt: "Renew the certificate." });
  expect(new Date((await world.store.jobs.get(id))?.dueOnce ?? 0).toISOString()).toBe(due);
});

test("months, weeks and days later mean the same wall clock time, on the last day if the month is shorter", async () => {
  const place: JobInputContext = {
    thread: CHANNEL,
    owner: ANA,
    defaultTimezone: "Europe/Paris",
    agents: new Set(),
    skillsOf: () => skillCatalogue([], []),
    modelProblem: async () => null,
    channelNamed: async () => null,
    now: Date.parse("2027-01-31T09:00Z"),
  };
  const dueIn = async (at: string) => {
    const read = await readJobInput({ at, prompt: "Renew the certificate." }, place, null);
    return read.type === "job" ? new Date(read.settings.dueOnce ?? 0).toISOString() : read.reason;
  };
  expect(await dueIn("in 1 month")).toBe("2027-02-28T09:00:00.000Z");
  // The due time is in summer time.
  expect(await dueIn("in 2 months")).toBe("2027-03-31T08:00:00.000Z");
  expect(await dueIn("in 9 weeks")).toBe("2027-04-04T08:00:00.000Z");
  expect(await dueIn(`in ${63 * 24} hours`)).toBe("2027-04-04T09:00:00.000Z");
});

test.each(["in 6 mo", "in 500 milliseconds", "in 2 decades", "in 3 moons", "in 2 what", "in 1 year"])(
  "a reminder %s is refused as ambiguous",
  async (at) => {
    const world = await openWorld();
    await expect(world.add({ at, prompt: "Renew the certificate." })).rejects.toThrow("I don't understand `--at`.");
  },
);

test("a reminder beyond the calendar's range is refused", async () => {
  const world = await openWorld();
  const at = `in ${"9".repeat(400)} months`;
  await expect(world.add({ at, prompt: "Renew the certificate." })).rejects.toThrow("That is too far away.");
});
