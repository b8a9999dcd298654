import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { skillCatalogue } from "../../../src/core/skills/skills.ts";
import { createJobsFile } from "../../../src/features/jobs-file/jobs-file.ts";
import { createDeclaredJobs } from "../../../src/jobs/scheduling/declared-jobs.ts";
import { PLATFORMS } from "../../../src/platforms.ts";
import { CHANNEL, openWorld, type World } from "../../jobs/world.ts";
import { until } from "../../support/program/bot.ts";
import { countingIds, seededRandom } from "../../support/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";
import { skillNamed } from "../../support/skill-file.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ANA = { id: "slack:U1", name: "ana", roles: [] };
const ADMIN = { id: "slack:UADMIN", name: "root", roles: [] };

const entry = { name: "One", cron: "0 10 * * *", prompt: "Look.", channel: "slack:T1/C1" };
const { cron: _cron, ...once } = entry;

async function names(world: World): Promise<string> {
  return (await world.store.jobs.all()).jobs.map(({ name }) => name).join();
}

/** Takes a file over; `look`: what becomes of the time when the scheduler looks at jobs anew. */
function takingOver(file: string, { store, clock }: Pick<World, "store" | "clock">, look: () => Promise<void>) {
  const runtime = { clock, ids: countingIds(), random: seededRandom(1) };
  const kept = createDeclaredJobs({
    store,
    runtime,
    scheduler: { check: look, startWaiting: () => Promise.resolve(), runNow: () => Promise.resolve(null) },
    agents: () => new Set(["build"]),
    tools: () => ["bash"],
    skillsOf: () => skillCatalogue([skillNamed("forecast", ["place"])], []),
    platforms: PLATFORMS,
    isOn: (name) => name !== "discord",
    defaultTimezone: "Europe/Paris",
  });
  return createJobsFile({ file, runtime, log: silentLog, jobs: { declared: kept } });
}

test.each([
  { what: "a directory", make: (file: string) => mkdirSync(file) },
  { what: "a pipe", make: (file: string) => execFileSync("mkfifo", [file]) },
  { what: "huge", make: (file: string) => writeFileSync(file, `[${" ".repeat(5_000_000)}]`) },
  { what: "a link to nowhere", make: (file: string) => symlinkSync("/nowhere/at/all", file) },
  { what: "a link to itself", make: (file: string) => symlinkSync(file, file) },
  { what: "broken", make: (file: string) => writeFileSync(file, '[{"name": "One"') },
  { what: "no list", make: (file: string) => writeFileSync(file, '{"name": "One"}') },
])("a jobs file that is $what does not prevent the start", async ({ make }) => {
  const file = path.join(tempDirectory(), "jobs.json");
  make(file);
  const world = await openWorld({ file });
  expect(await names(world)).toBe("");
  await world.add({ name: "Chat", cron: "0 10 * * *", prompt: "Look." });
  await world.pass(HOUR + MINUTE, 10_000);
  expect(world.posts()).toHaveLength(1);
});

test("entries of a jobs file with a duplicate name are skipped, and the others are loaded", async () => {
  const file = path.join(tempDirectory(), "jobs.json");
  const world = await openWorld({ file });
  await world.add({ name: "Chat", cron: "@daily", prompt: "Look." });
  const all = [entry, { ...entry, prompt: "Again." }, { ...entry, name: "chat" }, { ...entry, name: "Last" }];
  writeFileSync(file, JSON.stringify(all));
  await world.away(10_000);
  expect(await names(world)).toBe("Chat,Last,One");
  const { jobs } = await world.store.jobs.all();
  expect(jobs.map(({ prompt }) => prompt)).toEqual(["Look.", "Look.", "Look."]);
});

test("an entry of the jobs file is loaded once the job of the same name in the chat is removed", async () => {
  const file = path.join(tempDirectory(), "jobs.json");
  writeFileSync(file, "[]");
  const world = await openWorld({ file });
  const id = await world.add({ name: "One", cron: "@daily", prompt: "Look." });
  writeFileSync(file, JSON.stringify([entry]));
  await world.away(10_000);
  await world.jobs.control.act("remove", id, { person: ANA, thread: CHANNEL, at: world.clock.now() });
  const isTaken = async () => {
    await world.pass(61_000, 10_000);
    return (await world.store.jobs.all()).jobs.some(({ source }) => source === "file");
  };
  await until(isTaken, { what: () => "the entry to be taken" });
});

test("a missed reminder of the jobs file is delivered late; reminders with relative times are refused", async () => {
  const file = path.join(tempDirectory(), "jobs.json");
  const all = [
    { ...once, at: "2027-01-04 10:00" },
    { ...once, name: "Soon", at: "in 2 hours" },
    { ...once, name: "Next", at: "tomorrow 9:00" },
  ];
  writeFileSync(file, JSON.stringify(all));
  const world = await openWorld({ file });
  expect(await names(world)).toBe("One");
  await world.away(2 * HOUR);
  await world.pass(MINUTE, 10_000);
  expect(world.posts()).toEqual([expect.stringContaining("(due 10:00, ran 11:00: I was away)")]);
  await world.away(HOUR);
  expect(world.posts()).toHaveLength(1);
});

test("a reminder that comes due while the entries before it are loaded still runs", async () => {
  const file = path.join(tempDirectory(), "jobs.json");
  const at = "2027-01-04 10:00";
  writeFileSync(
    file,
    JSON.stringify([
      { ...once, at },
      { ...once, name: "Two", at },
    ]),
  );
  const world = await openWorld();
  const takeOver = takingOver(file, world, () => world.clock.advance(2 * HOUR));
  expect(await takeOver()).toEqual([]);
  const { jobs } = await world.store.jobs.all();
  expect(jobs.map(({ name }) => name)).toEqual(["One", "Two"]);
  for (const { dueOnce, accountedTo } of jobs) expect(accountedTo).toBeLessThan(dueOnce ?? 0);
});

test("a reminder that comes due while the database is unavailable is delivered late", async () => {
  const file = path.join(tempDirectory(), "jobs.json");
  const world = await openWorld({ file });
  const due = new Date(world.clock.now() + 90_000).toISOString();
  writeFileSync(file, JSON.stringify([{ ...once, at: due }]));
  world.refuseTransactions(1);
  const isThere = async () => {
    await world.pass(61_000, 1_000);
    return world.posts().length > 0;
  };
  await until(isThere, { what: () => "the reminder" });
  expect(world.clock.now()).toBeGreaterThan(Date.parse(due) + 1_000);
});

test("a jobs file that is missing for a moment, while it is replaced, removes no jobs", async () => {
  const file = path.join(tempDirectory(), "jobs.json");
  writeFileSync(file, JSON.stringify([entry]));
  const world = await openWorld({ file });
  rmSync(file);
  await world.pass(61_000);
  expect(await names(world)).toBe("One");
  // The file is read in time that is not the world's.
  const isGone = async () => {
    await world.pass(61_000, 10_000);
    return (await names(world)) === "";
  };
  await until(isGone, {
    what: () => "the job to go with its file",
  });
});

test.each([
  { off: false, on: true },
  { off: "no", on: "yes" },
])("a job that the file first states as enabled: $off runs once the file states $on", async ({ off, on }) => {
  const file = path.join(tempDirectory(), "jobs.json");
  writeFileSync(file, JSON.stringify([{ ...entry, enabled: off }]));
  const world = await openWorld({ file });
  const isEnabled = async () => (await world.store.jobs.all()).jobs.map(({ enabled }) => enabled);
  expect(await isEnabled()).toEqual([false]);
  writeFileSync(file, JSON.stringify([{ ...entry, enabled: on }]));
  const isOn = async () => {
    await world.pass(61_000, 10_000);
    return (await isEnabled())[0] === true;
  };
  await until(isOn, { what: () => "the job to be enabled" });
});

test.each([
  { paused: "after a failure", entry: { prompt: "Look again." }, isOn: true },
  { paused: "after a failure", entry: {}, isOn: false },
  { paused: "in the chat", entry: { prompt: "Look again." }, isOn: false },
])("a job of the file, paused $paused, is enabled by a new entry with $entry: $isOn", async (row) => {
  const file = path.join(tempDirectory(), "jobs.json");
  const paused = { ...entry, "pause-after": 1, "//": "Ask ben." };
  writeFileSync(file, `\uFEFF${JSON.stringify([paused])}`);
  const world = await openWorld({ file });
  const [job] = (await world.store.jobs.all()).jobs;
  const id = job?.id ?? "";
  if (row.paused === "in the chat")
    await world.jobs.control.act("disable", id, { person: ADMIN, thread: CHANNEL, at: world.clock.now() });
  world.play = () => ({ fails: "auth" });
  await world.pass(HOUR + MINUTE, 10_000);
  expect(await world.store.jobs.get(id)).toMatchObject({ enabled: false });
  writeFileSync(file, JSON.stringify([{ ...paused, ...row.entry }]));
  await world.away(10_000);
  expect(await world.store.jobs.get(id)).toMatchObject({ enabled: row.isOn });
});

test("a changed schedule in the jobs file applies from now on", async () => {
  const file = path.join(tempDirectory(), "jobs.json");
  writeFileSync(file, JSON.stringify([entry]));
  const world = await openWorld({ file, start: "2027-01-04T14:00:00Z" });
  const [job] = (await world.store.jobs.all()).jobs;
  writeFileSync(file, JSON.stringify([{ ...entry, cron: "*/30 * * * *", "catch-up": "latest" }]));
  await world.away(3 * HOUR + 10 * MINUTE);
  await world.pass(MINUTE, 10_000);
  expect(await world.occurrences(job?.id ?? "")).toEqual([]);
});

test.each([
  { wrong: { promt: "Look." }, said: "`promt` is not a field of a job" },
  { wrong: { prompt: {} }, said: "`prompt` Invalid input" },
  {
    wrong: { skill: "forecast" },
    said: 'The skill **forecast** needs **place** (which place): `--skill "forecast <place>"`.',
  },
  { wrong: { enabled: "maybe" }, said: "`enabled` must be yes or no" },
  {
    wrong: { cron: undefined, at: "2027-02-01" },
    said: "`at` must be a date like `2026-12-01 09:00`, because in a file it has nothing to count from",
  },
  { wrong: { cron: undefined, at: "2026-02-01 09:00" }, said: "`at` is past, so the job will never run" },
  { wrong: { tools: ["mcp__docs__search", "bsh"] }, said: "There is no tool `bsh`. Did you mean `bash`?" },
  { wrong: { channel: "discord:1/2" }, said: "Discord is off, so its runs wait" },
  { wrong: { owner: "ana" }, said: "`owner` must be written `slack:U0123ABCD`: platform and id" },
  { wrong: { channel: "C1" }, said: "`channel` must be written `slack:T1/C1`: platform, workspace, channel" },
])("an invalid entry of the jobs file is reported with its position: $said", async ({ wrong, said }) => {
  const file = path.join(tempDirectory(), "jobs.json");
  const two = JSON.stringify({ ...entry, name: "Two", ...wrong });
  writeFileSync(file, `[ // Ours\n${JSON.stringify(entry)},\n${two},\n]`);
  const world = await openWorld();
  const takeOver = takingOver(file, world, () => Promise.resolve());
  expect(await takeOver()).toEqual([`${file}: entry 2: ${said}`]);
});
