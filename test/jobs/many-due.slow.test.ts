import { expect, test } from "vitest";
import { nextDue, readSchedule } from "../../src/jobs/calendar/schedule.ts";
import { CHANNEL, openWorld } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("48 jobs due in the same minute run up to the concurrency limit, respect the platform's rate, and all report", async () => {
  const world = await openWorld({ maxConcurrentRuns: 32 });
  const channels = 8;
  for (let number = 0; number < 48; number += 1) {
    const thread = { ...CHANNEL, channelId: `C${number % channels}` };
    await world.add({ name: `Job ${number}`, cron: "0 10 * * *", prompt: "Look." }, { thread });
  }
  const atOnce = { now: 0, most: 0 };
  world.play = () => {
    atOnce.now += 1;
    atOnce.most = Math.max(atOnce.most, atOnce.now);
    return { takesMs: 2_000, ends: () => (atOnce.now -= 1) };
  };
  await world.pass(HOUR - 1_000, 60_000);
  await world.pass(3 * MINUTE);
  const posts = world.platform.requests.filter(({ kind }) => kind === "post");
  expect(posts).toHaveLength(48);
  expect(new Set(posts.map(({ text }) => /\*\*(.*)\*\*/u.exec(text)?.[1])).size).toBe(48);
  // All jobs belong to one person, who may take three quarters of the 32 places.
  expect(atOnce.most).toBe(24);
  for (let channel = 0; channel < channels; channel += 1) {
    const times = posts.filter(({ where }) => where === `C${channel}`).map(({ at }) => at);
    // A channel takes two posts at once, then one a second.
    for (const [index, at] of times.entries()) expect(at - (times[index - 2] ?? 0)).toBeGreaterThanOrEqual(1_000);
  }
});

test("over a year of clock changes in three zones, with weeks of downtime, each due time is recorded once", async () => {
  const world = await openWorld({ start: "2027-01-01T00:00:00Z" });
  const expressions = [
    "0 9 * * *",
    "30 2 * * *",
    "10,50 2 * * *",
    "15 1 * * 0",
    "0 0 * * *",
    "0 */12 * * *",
    "59 1,3 * * *",
    "0 3 28 3 *",
    "30 1 7 11 *",
    "0 2 3 10 *",
    "@weekly",
    "5 0 1 * *",
  ];
  const zones = ["Europe/Paris", "America/New_York", "Australia/Lord_Howe"];
  const jobs: { id: string; cron: string; zone: string }[] = [];
  for (const [index, cron] of expressions.entries()) {
    const zone = zones[index % zones.length] ?? "";
    for (const each of index < 3 ? zones : [zone]) {
      const id = await world.add({
        name: `${cron} ${each}`.replaceAll(/[*@_]/gu, "x"),
        cron,
        timezone: each,
        prompt: "Look.",
      });
      jobs.push({ id, cron, zone: each });
    }
  }
  // The program runs for some hours around each change of the clocks, and is away in between.
  for (const change of [
    "2027-03-14T07:00Z",
    "2027-03-28T01:00Z",
    "2027-04-03T15:00Z",
    "2027-10-02T15:30Z",
    "2027-10-31T01:00Z",
    "2027-11-07T06:00Z",
  ]) {
    await world.away(Date.parse(change) - 5 * HOUR - world.clock.now());
    await world.pass(10 * HOUR, 300_000);
  }
  const until = world.clock.now();
  for (const { id, cron, zone } of jobs) {
    const read = readSchedule({ cron, dueOnce: null, timezone: zone });
    if (read.type === "refused") throw new Error(read.reason);
    const rows = await world.occurrences(id);
    const due: number[] = [];
    for (
      let at = nextDue(read.schedule, Date.parse("2027-01-01T00:00:00Z"));
      at !== null && at <= until;
      at = nextDue(read.schedule, at)
    )
      due.push(at);
    expect(rows.map(({ scheduledFor }) => scheduledFor)).toEqual(due.slice(-rows.length));
    expect(rows.length).toBeGreaterThanOrEqual(Math.min(500, due.length));
    expect(rows.filter(({ status }) => status !== "missed" && status !== "succeeded")).toEqual([]);
  }
  expect(world.posts().length).toBeGreaterThan(40);
});
