import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { nextDue, readSchedule } from "../../src/jobs/calendar/schedule.ts";
import { sentenceOf, timeIn } from "../../src/jobs/calendar/sentence.ts";
import { startPostgres } from "../support/database/postgres.ts";
import { skillNamed } from "../support/skill-file.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { CHANNEL, openWorld, type World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ANA = { id: "slack:U1", name: "ana", roles: [] };

function by(person: typeof ANA, world: World) {
  return { person, thread: CHANNEL, at: world.clock.now() };
}

async function statuses(world: World, jobId: string): Promise<string[]> {
  return (await world.occurrences(jobId)).map(({ status }) => status);
}

test.each([
  { what: "200 KB", cron: `${"1,".repeat(100_000)}1 * * * *`, refused: "at most 250 characters" },
  { what: "30 February", cron: "0 0 30 2 *", refused: "never occurs" },
  { what: "31 April", cron: "0 0 31 4 *", refused: "never occurs" },
  { what: "a month that is none", cron: "0 0 1 13 *", refused: "Invalid value for month" },
  { what: "a shell", cron: "0 0 * * $(reboot)", refused: "is not a cron expression" },
  { what: "every second", cron: "* * * * * *", refused: null },
  { what: "a leap day on a Monday", cron: "0 0 29 2 MON", refused: null },
  { what: "all minutes", cron: `${Array.from({ length: 60 }, (_, minute) => minute).join()} * * * *`, refused: null },
  { what: "the last day", cron: "0 0 L * *", refused: null },
  { what: "the second Friday", cron: "0 9 * * FRI#2", refused: null },
])("an expression with $what is parsed, or refused with an explanation", ({ cron, refused }) => {
  const read = readSchedule({ cron, dueOnce: null, timezone: "America/New_York" });
  if (refused === null) {
    expect(read.type).toBe("schedule");
    if (read.type === "schedule") {
      expect(nextDue(read.schedule, Date.parse("2027-01-01T00:00:00Z"))).not.toBeNull();
      expect(sentenceOf(read.schedule)).toMatch(/\S America\/New_York$/u);
    }
  } else {
    expect(read).toMatchObject({ type: "refused", reason: expect.stringContaining(refused) });
  }
});

test.each([
  { name: "@everyone" },
  { name: "<!channel>" },
  { name: "**loud**" },
  { name: "a\u202Eb" },
  { name: "a\0b" },
  { name: "x".repeat(200_000) },
  { prompt: "x".repeat(200_000) },
  { prompt: "a\0b" },
  { timezone: "Z".repeat(200_000) },
  { channel: "C".repeat(200_000) },
  { agent: "a".repeat(200_000) },
  { skill: "s".repeat(200_000) },
  { budget: "0" },
  { budget: "-1" },
  { budget: "NaN" },
  { timeout: "0" },
  { timeout: "Infinity" },
  { attempts: "1e9" },
])("nonsensical input is refused with a sentence (case %#)", async (input) => {
  const world = await openWorld();
  const answer = await world.jobs.control.add({ cron: "@daily", prompt: "x", ...input }, by(ANA, world));
  expect(answer.isDone).toBe(false);
  expect(answer.text.length).toBeLessThan(400);
});

test("lists of many jobs and long prompts are shortened to fit a message", async () => {
  const world = await openWorld();
  for (let number = 0; number < 40; number += 1) {
    await world.add({ name: `Job number ${number}`, cron: "@daily", prompt: "Look. ".repeat(2_000) });
  }
  const { control } = world.jobs;
  const list = await control.list(by(ANA, world));
  expect(list.text.length).toBeLessThan(1_800);
  expect(list.text).toMatch(/… and \d+ more/u);
  expect((await control.act("show", "Job number 7", by(ANA, world))).text.length).toBeLessThan(1_800);
  expect((await control.act("show", "nothing", by(ANA, world))).text.length).toBeLessThan(1_000);
});

test("a job whose time zone no longer exists is paused with one message, and is shown in UTC; others continue", async () => {
  const file = path.join(tempDirectory(), "jobs.db");
  const world = await openWorld({ url: `file:${file}` });
  const lost = await world.add({ name: "Lost", cron: "0 10 * * *", prompt: "Look." });
  const other = await world.add({ name: "Other", cron: "0 10 * * *", prompt: "Look." });
  await world.pass(HOUR + MINUTE, 10_000);
  const database = new BetterSqlite3(file);
  database.prepare("UPDATE Job SET timezone = 'Mars/Olympus' WHERE id = ?").run(lost);
  database.close();
  await world.away(24 * HOUR - 2 * MINUTE);
  await world.pass(3 * MINUTE, 10_000);
  expect(await statuses(world, lost)).toEqual(["succeeded", "failed"]);
  expect(await statuses(world, other)).toEqual(["succeeded", "succeeded"]);
  const said = () =>
    world.posts().filter((post) => post.startsWith("✗ **Lost** · There is no time zone `Mars/Olympus`."));
  expect(said()).toEqual([expect.stringContaining("⏸ Paused; once that is fixed, `/jobs enable` resumes it.")]);
  await world.away(24 * HOUR);
  await world.pass(MINUTE, 10_000);
  expect(said()).toHaveLength(1);
  expect((await world.jobs.control.list(by(ANA, world))).text).toContain("There is no time zone `Mars/Olympus`.");
  expect((await world.jobs.control.act("logs", lost, by(ANA, world))).text).toContain("Mon 4 Jan 2027 09:00");
  expect(timeIn(Date.parse("2027-01-04T09:00:00Z"), "Mars/Olympus")).toBe("Mon 4 Jan 2027 09:00");
});

describe("during a run", () => {
  test("its job can be renamed, and the report has the new name", async () => {
    const world = await openWorld();
    const id = await world.add({ name: "Old", cron: "0 10 * * *", prompt: "Look." });
    world.play = () => ({ takesMs: 2 * MINUTE });
    await world.pass(HOUR + MINUTE, 10_000);
    await world.jobs.control.edit(id, { name: "New" }, by(ANA, world));
    await world.pass(2 * MINUTE, 10_000);
    expect(world.posts()).toMatchObject([expect.stringContaining("**New** · every day")]);
  });

  test("its job can be removed: the report is still posted, and no further run follows", async () => {
    const world = await openWorld();
    const id = await world.add({ name: "Gone", cron: "*/10 * * * *", prompt: "Look.", overlap: "queue" });
    world.play = () => ({ takesMs: 12 * MINUTE });
    await world.pass(21 * MINUTE, 10_000);
    expect(await statuses(world, id)).toEqual(["timed_out", "running"]);
    await world.pass(4 * MINUTE, 10_000);
    await world.pass(6 * MINUTE, 10_000);
    await world.jobs.control.act("remove", id, by(ANA, world));
    const posts = world.posts().length;
    await world.pass(HOUR, 30_000);
    expect(world.posts().length - posts).toBeLessThanOrEqual(1);
    expect((await statuses(world, id)).filter((status) => status === "running" || status === "waiting")).toEqual([]);
  });

  test.each(["disable", "remove"] as const)("%s cancels the job's queued run and its pending retry", async (action) => {
    const world = await openWorld();
    const waits = await world.add({
      name: "Waits",
      cron: "0 * * * *",
      prompt: "Look.",
      overlap: "queue",
      timeout: "86400",
    });
    const retries = await world.add({ name: "Retries", cron: "0 12 * * *", prompt: "Look." });
    world.play = ({ jobId }) => (jobId === waits ? { takesMs: 150 * MINUTE } : { fails: "overloaded" });
    await world.pass(3 * HOUR + 10_000, 10_000);
    expect(await statuses(world, waits)).toEqual(["running", "waiting", "waiting"]);
    expect(await statuses(world, retries)).toEqual(["retrying"]);
    const runs = world.runs.length;
    for (const id of [waits, retries]) await world.jobs.control.act(action, id, by(ANA, world));
    await world.pass(3 * HOUR, 30_000);
    expect(await statuses(world, waits)).toEqual(["succeeded", "skipped", "skipped"]);
    expect(await statuses(world, retries)).toEqual(["cancelled"]);
    expect(world.posts().filter((post) => post.includes("**Waits**"))).toHaveLength(1);
    expect(world.runs.slice(runs).filter(({ jobId }) => jobId === waits)).toEqual([]);
  });

  test("a parked run and a run interrupted by a restart get the remainder of their time limit", async () => {
    const world = await openWorld();
    const id = await world.add({ name: "Long", cron: "0 10 * * *", prompt: "Look.", timeout: "100" });
    world.play = (_event, number) => (number === 1 ? { takesMs: 60_000, parks: true } : { takesMs: HOUR });
    await world.pass(HOUR + 61_000, 1_000);
    await world.pass(30 * MINUTE, 10_000);
    expect(await statuses(world, id)).toEqual(["running"]);
    const [occurrence] = await world.occurrences(id);
    const resume = { key: "test:resume", body: { kind: "resume", of: "test" } } as const;
    await world.engine().deliver(occurrence?.sessionId ?? "", resume);
    await world.pass(20_000);
    await world.away(2 * HOUR);
    await world.pass(15_000);
    expect(await statuses(world, id)).toEqual(["running"]);
    await world.pass(12_000);
    expect(await statuses(world, id)).toEqual(["timed_out"]);
    expect(world.runs).toHaveLength(3);
  });
});

test.each([
  { column: "timeoutMs", value: "soon", problem: "its row cannot be read" },
  { column: "tools", value: "[1", problem: "tools: Invalid input" },
])("a job whose $column is unreadable is reported once, and the others run", async ({ column, value, problem }) => {
  const file = path.join(tempDirectory(), "jobs.db");
  const world = await openWorld({ url: `file:${file}` });
  const broken = await world.add({ name: "Broken", cron: "0 10 * * *", prompt: "Look." });
  const other = await world.add({ name: "Other", cron: "0 10 * * *", prompt: "Look." });
  const set = (to: string | number) => {
    const database = new BetterSqlite3(file);
    database.prepare(`UPDATE Job SET ${column} = ? WHERE id = ?`).run(to, broken);
    database.close();
  };
  set(value);
  await world.pass(HOUR + MINUTE, 10_000);
  const said = () => world.posts().filter((post) => post.includes("**Broken**"));
  expect(said()).toEqual([expect.stringContaining(`✗ **Broken** · Its row in the database can't be read (${problem}`)]);
  expect(said()[0]).toContain("An operator must fix it.\n⏸ Paused; once that is fixed, `/jobs enable` resumes it.");
  expect(await statuses(world, broken)).toEqual(["failed"]);
  await world.away(24 * HOUR);
  await world.pass(MINUTE, 10_000);
  expect(said()).toHaveLength(1);
  expect((await statuses(world, other)).filter((status) => status === "succeeded").length).toBeGreaterThan(0);
  set(column === "timeoutMs" ? 300_000 : "[]");
  expect(await world.jobs.control.act("enable", broken, by(ANA, world))).toMatchObject({ isDone: true });
});

test("a job whose skill has come to require an argument fails with that reason instead of running", async () => {
  const skills = [skillNamed("forecast")];
  const world = await openWorld({ skills });
  const id = await world.add({ name: "Weather", cron: "0 * * * *", prompt: "Tell us.", skill: "forecast" });
  await world.pass(HOUR + MINUTE, 10_000);
  skills[0] = skillNamed("forecast", ["place"]);
  await world.pass(2 * HOUR, 10_000);
  expect(await statuses(world, id)).toEqual(["succeeded", "failed"]);
  expect(world.posts()[1]).toBe(
    '✗ **Weather** · The skill **forecast** needs **place** (which place): `--skill "forecast <place>"`.\n⏸ Paused; once that is fixed, `/jobs enable` resumes it.',
  );
  const mended = await world.jobs.control.edit(id, { skill: "forecast Lyon" }, by(ANA, world));
  expect(mended).toMatchObject({ isDone: true });
  expect(await world.jobs.control.act("enable", id, by(ANA, world))).toMatchObject({ isDone: true });
  await world.pass(HOUR, 10_000);
  expect(await statuses(world, id)).toEqual(["succeeded", "failed", "succeeded"]);
});

test("a job whose owner has lost access is paused with a message instead of running", async () => {
  const access = { deny: [] as string[] };
  const world = await openWorld({ access });
  const id = await world.add({ name: "Watch", cron: "0 * * * *", prompt: "Look." });
  await world.pass(HOUR + MINUTE, 10_000);
  access.deny.push("slack:U1");
  await world.pass(2 * HOUR, 10_000);
  expect(await statuses(world, id)).toEqual(["succeeded", "failed"]);
  expect(world.posts()[1]).toBe(
    "✗ **Watch** · @ana can no longer use me (`access.deny`), so nothing runs in their name. An admin can take it over with `/jobs enable`.\n⏸ Paused; once that is fixed, `/jobs enable` resumes it.",
  );
  expect(await world.store.jobs.get(id)).toMatchObject({
    enabled: false,
    pausedBecause: { by: "refusal", reason: expect.stringContaining("@ana") },
  });
  const admin = { ...ANA, id: "slack:UADMIN" };
  expect(await world.jobs.control.act("enable", id, by(ANA, world))).toMatchObject({ isDone: false });
  access.deny.pop();
  expect(await world.jobs.control.act("enable", id, by(admin, world))).toMatchObject({ isDone: true });
  expect(await world.store.jobs.get(id)).toMatchObject({ enabled: true, ownerId: ANA.id });
});

test.each([
  { allow: ["slack:U2"], runs: 0 },
  { allow: ["slack:U1"], runs: 1 },
  { allow: ["slack:role:5"], runs: 1 },
])("with access.allow $allow, the owner's job runs $runs times", async ({ allow, runs }) => {
  const access: { allow?: string[] } = {};
  const world = await openWorld({ access });
  await world.add({ name: "Watch", cron: "0 10 * * *", prompt: "Look." });
  access.allow = allow;
  await world.away(HOUR - MINUTE);
  await world.pass(3 * MINUTE, 10_000);
  expect(world.posts().filter((post) => post.includes("All is quiet."))).toHaveLength(runs);
});

test("a job with granted tools can be changed only by people who may grant them", async () => {
  const world = await openWorld();
  const admin = { ...ANA, id: "slack:UADMIN" };
  const id = await world.add({ name: "Tidy", cron: "0 10 * * *", prompt: "Tidy." });
  const { control } = world.jobs;
  expect(await control.edit(id, { tools: "bash" }, by(admin, world))).toMatchObject({ isDone: true });
  expect(await control.edit(id, { prompt: "Delete all." }, by(ANA, world))).toMatchObject({ isDone: false });
  expect(await control.edit(id, { prompt: "Look.", tools: "" }, by(ANA, world))).toMatchObject({ isDone: true });
});

test("a reminder that a person runs early, or during another run, still runs at its time", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Call", at: "2027-01-04 10:00", prompt: "Remind." });
  await world.jobs.control.act("run", id, by(ANA, world));
  await world.pass(MINUTE);
  world.play = (_event, number) => ({ takesMs: number === 2 ? 4 * MINUTE : 1_000 });
  await world.pass(57 * MINUTE, 10_000);
  await world.jobs.control.act("run", id, by(ANA, world));
  await world.pass(10 * MINUTE, 10_000);
  expect(await statuses(world, id)).toEqual(["succeeded", "succeeded", "succeeded"]);
});

describe("changes of the system clock", () => {
  test.each([
    { byMs: -HOUR, passMs: 4 * HOUR, expected: 3 },
    { byMs: HOUR, passMs: 2 * HOUR, expected: 2 },
    { byMs: 24 * HOUR, passMs: 2 * HOUR, expected: 3 },
  ])("by $byMs ms cause no duplicate and no lost due time", async ({ byMs, passMs, expected }) => {
    const world = await openWorld();
    const id = await world.add({ name: "Hourly", cron: "0 * * * *", prompt: "Look." });
    await world.pass(HOUR + 10 * MINUTE, 10_000);
    world.clock.set(world.clock.now() + byMs);
    await world.pass(passMs, 10_000);
    const rows = await world.occurrences(id);
    const times = rows.map(({ scheduledFor }) => scheduledFor);
    expect(new Set(times).size).toBe(times.length);
    expect(times).toEqual(times.map((_, index) => Date.parse("2027-01-04T09:00:00Z") + index * HOUR));
    expect(rows.filter(({ status }) => status === "succeeded").length).toBeGreaterThanOrEqual(expected);
  });
});

test.each(["while it runs", "while nobody is there"])(
  "a clock that was a year ahead, and is corrected %s, silences no job",
  async (when) => {
    const world = await openWorld();
    const id = await world.add({ name: "Hourly", cron: "0 * * * *", prompt: "Look." });
    await world.pass(MINUTE, 10_000);
    const right = world.clock.now();
    world.clock.set(right + 365 * 24 * HOUR);
    await world.pass(2 * MINUTE, 10_000);
    world.clock.set(right);
    if (when === "while nobody is there") await world.away(10_000);
    await world.pass(2 * HOUR, 10_000);
    const rows = (await world.occurrences(id)).filter(({ scheduledFor }) => scheduledFor <= world.clock.now());
    expect(rows).toMatchObject([{ status: "succeeded" }, { status: "succeeded" }]);
  },
);

test("a run started by a person at the job's due time does not replace the due run", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Hourly", cron: "0 * * * *", prompt: "Look." });
  await world.pass(HOUR - 10_000);
  await world.jobs.control.act("run", id, { ...by(ANA, world), at: Date.parse("2027-01-04T09:00:00Z") });
  await world.pass(HOUR + MINUTE, 10_000);
  expect(await statuses(world, id)).toEqual(["succeeded", "succeeded"]);
});

test("a job reports once despite repeated restarts around its due time", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Storm", cron: "0 10 * * *", prompt: "Look." });
  world.play = () => ({ takesMs: 20_000 });
  await world.pass(HOUR - 30_000, 30_000);
  for (let round = 0; round < 12; round += 1) {
    await world.away(3_000);
    await world.pass(4_000);
  }
  await world.pass(MINUTE);
  expect(await statuses(world, id)).toEqual(["succeeded"]);
  expect(world.posts()).toHaveLength(1);
});

test("after days of downtime the latest due time is run, and all others are recorded", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Daily", cron: "0 10 * * *", prompt: "Look.", "catch-up": "latest" });
  await world.away(5 * 24 * HOUR + 3 * HOUR);
  await world.pass(MINUTE, 10_000);
  expect(await statuses(world, id)).toEqual(["missed", "missed", "missed", "missed", "missed", "succeeded"]);
  expect(world.posts()).toMatchObject([expect.stringContaining("(due 10:00, ran 12:00: I was away)")]);
  expect(world.posts()[0]).toContain("5 due times skipped before");
});

test("on PostgreSQL, too, failures, queueing, silent runs, and reports with unusual characters work", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const world = await openWorld({ url: await postgres.createDatabase() });
  const id = await world.add({
    name: "Odd",
    cron: "*/15 * * * *",
    prompt: "Look.",
    overlap: "queue",
    timeout: "86400",
    silent: "yes",
  });
  world.play = (_event, number) => ({
    takesMs: number === 1 ? 22 * MINUTE : 1_000,
    says: `a\0b ${"\u{1F600}".repeat(150)}`,
    ...(number === 3 ? { fails: "overloaded" as const } : {}),
  });
  await world.pass(HOUR + 2 * MINUTE, 30_000);
  expect(await statuses(world, id)).toEqual(["succeeded", "succeeded", "succeeded", "succeeded"]);
  // The third run failed at first, and its failure was posted.
  expect(world.posts()).toHaveLength(3);
});
