import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { JobInput, JobRequest } from "../../../src/core/jobs/job-control.ts";
import { settingsOf } from "../../../src/core/store/jobs.ts";
import { until } from "../../support/program/bot.ts";
import { skillNamed } from "../../support/skill-file.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { CHANNEL, openWorld, type World } from "../world.ts";

const ANA = { id: "slack:U1", name: "ana", roles: [] };
const BEN = { id: "slack:U2", name: "ben", roles: [] };
const ADMIN = { id: "slack:UADMIN", name: "root", roles: [] };

function by(person: JobRequest["person"], world: World): JobRequest {
  return { person, thread: CHANNEL, at: world.clock.now() };
}

const refusals: { input: JobInput; reason: string }[] = [
  { input: { prompt: "Look." }, reason: "`--cron` is missing: when should it run? For a single time, use `--at`." },
  { input: { cron: "@daily" }, reason: "`--prompt` is missing: what should it do?" },
  {
    input: { cron: "61 * * * *", prompt: "x" },
    reason:
      "`61 * * * *` is not a cron expression: Invalid value for minute: 61. For example, `0 9 * * *` is every day at 09:00.",
  },
  {
    input: { cron: "@daily", at: "in 2 h", prompt: "x" },
    reason: "Use either `--cron` or `--at`: a job repeats or is due once.",
  },
  { input: { at: "2020-01-01 09:00", prompt: "x" }, reason: "That time has passed." },
  {
    input: { at: "tomorrow", prompt: "x" },
    reason: "I don't understand `--at`. Write `2026-12-01 09:00`, `tomorrow 9:00` or `in 2 hours`.",
  },
  {
    input: { at: "2027-02-31 09:00", prompt: "x" },
    reason: "I don't understand `--at`. Write `2026-12-01 09:00`, `tomorrow 9:00` or `in 2 hours`.",
  },
  {
    input: { at: "tomorrow at 2029Z", prompt: "x" },
    reason: "I don't understand `--at`. Write `2026-12-01 09:00`, `tomorrow 9:00` or `in 2 hours`.",
  },
  { input: { at: "in 99999999999 days", prompt: "x" }, reason: "That is too far away." },
  { input: { cron: "@daily", prompt: "x", silent: "perhaps" }, reason: "`--silent` must be yes or no." },
  {
    input: { cron: "@daily", prompt: "x", "pause-after": "3000000000" },
    reason: "`--pause-after` must be at most 1,000.",
  },
  {
    input: { cron: "@daily", prompt: "x", timezone: "Mars" },
    reason: "There is no time zone `Mars`. Write zones like Europe/Paris.",
  },
  {
    input: { cron: "@daily", prompt: "x", agent: "nobody" },
    reason: "There is no agent `nobody`. Known: build, plan.",
  },
  {
    input: { cron: "@daily", prompt: "x", model: "foo/bar" },
    reason: "I cannot use `foo/bar`: no provider is called foo.",
  },
  { input: { cron: "@daily", prompt: "x", timeout: "soon" }, reason: "`--timeout` must be a number of seconds." },
  {
    input: { cron: "@daily", prompt: "x", overlap: "maybe" },
    reason: "`--overlap` must be skip, queue or cancel-previous.",
  },
  {
    input: { cron: "@daily", prompt: "x", name: "<!channel>" },
    reason: "`--name` must have only letters, digits and plain punctuation.",
  },
  {
    input: { cron: "@daily", prompt: "x", channel: "#nowhere" },
    reason: "I don't know that channel, or I'm not in it. Invite me there and mention me once.",
  },
  { input: { cron: "@daily", prompt: "x", skill: "weather" }, reason: "There is no skill `weather`. Known: forecast." },
  {
    input: { cron: "@daily", prompt: "x", skill: "forecast" },
    reason:
      'The skill **forecast** needs **place** (which place), **days** (which days): `--skill "forecast <place> <days>"`.',
  },
  {
    input: { cron: "@daily", prompt: "x", skill: "forecast place=Lyon" },
    reason: 'The skill **forecast** needs **days** (which days): `--skill "forecast <place> <days>"`.',
  },
  {
    input: { cron: "@daily", prompt: "x", tools: "bash" },
    reason:
      "Only admins and approvers can give a job tools or the mode `agi`, or change a job that has them, because nobody is asked while it runs.",
  },
  {
    input: { cron: "@daily", prompt: "x", mode: "agi" },
    reason:
      "Only admins and approvers can give a job tools or the mode `agi`, or change a job that has them, because nobody is asked while it runs.",
  },
];

test("invalid jobs are refused with the reason", async () => {
  const world = await openWorld({ skills: [skillNamed("forecast", ["place", "days"])] });
  for (const { input, reason } of refusals) {
    expect(await world.jobs.control.add(input, by(ANA, world))).toMatchObject({ isDone: false, text: reason });
  }
  expect((await world.store.jobs.all()).jobs).toEqual([]);
});

test("a job's new model must be usable, and an unusable old one does not prevent other changes", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Weather", cron: "0 * * * *", prompt: "Tell us.", model: "demo/demo" });
  const edit = (input: JobInput) => world.jobs.control.edit("Weather", input, by(ANA, world));
  expect(await edit({ model: "foo/bar" })).toMatchObject({
    isDone: false,
    problems: { model: "I cannot use `foo/bar`: no provider is called foo." },
  });
  const job = await world.store.jobs.get(id);
  if (job === null) throw new Error("it is gone");
  await world.store.transaction((tx) =>
    tx.jobs.change(job, { ...settingsOf(job), model: "gone/model" }, job.updatedAt),
  );
  expect(await edit({ model: "gone/model", prompt: "Tell them." })).toMatchObject({ isDone: true });
});

test("the arguments of a job's skill apply in the sessions of its runs", async () => {
  const world = await openWorld({ skills: [skillNamed("forecast", ["place"])] });
  const id = await world.add({
    name: "Weather",
    cron: "0 * * * *",
    prompt: "Tell us.",
    skill: "forecast San Francisco",
  });
  await world.pass(3_600_000 + 60_000, 10_000);
  const [occurrence] = await world.occurrences(id);
  const session = await world.store.sessions.get(occurrence?.sessionId ?? "");
  expect(session?.settings).toMatchObject({ activeSkill: "forecast", activeSkillLine: "San Francisco" });
});

test("without approvers, a person who may not decide can only create read-only jobs", async () => {
  const world = await openWorld({ access: { admins: [] }, requesterDecides: false });
  const input = { cron: "@daily", prompt: "x", mode: "agi" };
  expect(await world.jobs.control.add(input, by(ANA, world))).toMatchObject({ isDone: false });
  expect(await world.jobs.control.add({ ...input, mode: "read" }, by(ANA, world))).toMatchObject({ isDone: true });
});

test("a new job is answered with its description and next three times, and names are unique", async () => {
  const world = await openWorld();
  const input = { cron: "0 9 * * 1-5", prompt: "Post the *open* tickets" };
  expect(await world.jobs.control.add(input, by(ANA, world))).toEqual({
    isDone: true,
    text: "✓ **Post the open tickets** · every weekday at 09:00 Europe/Paris\nNext: Tue 5 Jan 2027 09:00 · Wed 6 Jan 2027 09:00 · Thu 7 Jan 2027 09:00",
  });
  expect(await world.jobs.control.add({ ...input, name: "post the OPEN tickets" }, by(BEN, world))).toMatchObject({
    isDone: false,
  });
});

test.each([
  ["2027-02-01 09:30", "2027-02-01T08:30:00.000Z"],
  ["2027-02-01 9:30:15", "2027-02-01T08:30:15.000Z"],
  ["2027-02-01T09:30:00-05:00", "2027-02-01T14:30:00.000Z"],
  ["2027-02-01T09:30:00.000Z", "2027-02-01T09:30:00.000Z"],
  ["in 2 hours", "2027-01-04T10:00:00.000Z"],
])("a reminder at %s is due at %s", async (at, due) => {
  const world = await openWorld();
  const id = await world.add({ at, prompt: "x" });
  expect(new Date((await world.store.jobs.get(id))?.dueOnce ?? 0).toISOString()).toBe(due);
});

test("names that look alike count as equal, and a name derived from the prompt makes hidden characters visible", async () => {
  const world = await openWorld();
  await world.add({ name: "Café  report", cron: "@daily", prompt: "x" });
  const taken = await world.jobs.control.add(
    { name: "cafe\u0301 report", cron: "@daily", prompt: "x" },
    by(ANA, world),
  );
  expect(taken.text).toBe("There is already a job **café report**. Choose a different `--name`.");
  expect(await world.jobs.control.act("show", "cafe\u0301 \t report", by(ANA, world))).toMatchObject({ isDone: true });
  await world.add({ cron: "@daily", prompt: `Look at \u202egpj.exe\u202c\tand ${"x".repeat(16)}😀 in ops` });
  expect((await world.store.jobs.all()).jobs.map(({ name }) => name)).toEqual([
    "Café report",
    `Look at gpj.exe and ${"x".repeat(16)}😀…`,
  ]);
});

test("an admin may grant tools to a job, and its run gets them", async () => {
  const world = await openWorld();
  const input = { name: "Tidy", cron: "0 10 * * *", prompt: "x", tools: "bash, write" };
  expect(await world.jobs.control.add(input, by(ADMIN, world))).toMatchObject({ isDone: true });
  await world.pass(61 * 60_000, 10_000);
  expect(world.runs).toMatchObject([{ mode: "read", tools: ["bash", "write"], author: { id: "slack:UADMIN" } }]);
});

test("only the owner and admins can change, run, pause and remove a job; others can see it", async () => {
  const world = await openWorld();
  await world.add({ name: "Watch", cron: "@daily", prompt: "x" });
  const { control } = world.jobs;
  for (const action of ["run", "enable", "disable", "remove"] as const) {
    expect(await control.act(action, "watch", by(BEN, world))).toMatchObject({
      isDone: false,
      text: expect.stringContaining("@ana's"),
    });
  }
  expect(await control.edit("Watch", { timeout: "5" }, by(BEN, world))).toMatchObject({ isDone: false });
  expect(await control.act("show", "Watch", by(BEN, world))).toMatchObject({ isDone: true });
  expect((await control.list({ ...by(BEN, world), thread: { ...CHANNEL, channelId: "C2" } })).text).toContain(
    "There are no jobs here",
  );
  expect((await control.list({ ...by(ANA, world), thread: { ...CHANNEL, channelId: "C2" } })).text).toContain(
    "**Watch**",
  );
  expect(await control.act("disable", "Watch", by(ADMIN, world))).toMatchObject({ isDone: true });
  expect(await control.act("remove", "Watch", by(ANA, world))).toMatchObject({ isDone: true });
  expect(await control.act("show", "Watch", by(ANA, world))).toEqual({
    isDone: false,
    text: "I don't know the job `Watch`. There are no jobs here.",
  });
  expect(world.audited).toEqual(["ana job.add Watch", "root job.disable Watch", "ana job.remove Watch"]);
});

test("an edit keeps fields that it does not mention, and a new schedule counts from now", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Watch", cron: "0 10 * * *", prompt: "Look.", timeout: "42" });
  const answer = await world.jobs.control.edit(id, { cron: "30 9 * * *", name: "Early" }, by(ANA, world));
  expect(answer.text).toContain("**Early** · every day at 09:30 Europe/Paris");
  expect(await world.store.jobs.get(id)).toMatchObject({ name: "Early", timeoutMs: 42_000, prompt: "Look." });
  await world.pass(2 * 3_600_000, 10_000);
  expect((await world.occurrences(id)).map(({ scheduledFor }) => new Date(scheduledFor).toISOString())).toEqual([
    "2027-01-04T08:30:00.000Z",
  ]);
});

test("concurrent changes of different fields all apply, and a change during removal says that the job is gone", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Watch", cron: "@daily", prompt: "Look." });
  const { control } = world.jobs;
  await Promise.all([
    control.edit(id, { prompt: "Look twice." }, by(ANA, world)),
    control.edit(id, { timeout: "7" }, by(ADMIN, world)),
    control.edit(id, { budget: "2" }, by(ADMIN, world)),
  ]);
  const job = await world.store.jobs.get(id);
  expect(job).toMatchObject({ prompt: "Look twice.", timeoutMs: 7_000, budgetUsd: 2 });
  const [removed, edited, enabled] = await Promise.all([
    control.act("remove", id, by(ANA, world)),
    control.edit(id, { timeout: "8" }, by(ADMIN, world)),
    control.act("enable", id, by(ADMIN, world)),
  ]);
  expect([removed.isDone, edited.text]).toEqual([true, `I don't know the job \`${id}\`. There are no jobs here.`]);
  expect(enabled.text).toContain("**Watch**");
});

test("a due time delayed by jitter is kept when other fields of the job change", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Watch", cron: "0 10 * * *", prompt: "Look.", jitter: "1800" });
  await world.pass(3_601_000, 30_000);
  expect(await world.occurrences(id)).toEqual([]);
  await world.jobs.control.edit(id, { prompt: "Look twice." }, by(ANA, world));
  await world.pass(1_900_000, 30_000);
  expect(await world.occurrences(id)).toMatchObject([{ status: "succeeded" }]);
  expect(world.runs).toMatchObject([{ prompt: expect.stringContaining("Look twice.") }]);
});

test("a past reminder cannot be enabled without a new time, and a paused job says that it is paused", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Call", at: "in 10 minutes", prompt: "Call." });
  await world.pass(11 * 60_000, 10_000);
  const { control } = world.jobs;
  expect(await control.act("enable", id, by(ANA, world))).toEqual({
    isDone: false,
    text: "**Call** was due only once, and that time is past. `/jobs edit` with `--at` sets another time.",
  });
  expect((await control.edit(id, { at: "in 10 minutes" }, by(ANA, world))).text).toContain(
    "\nNext: Mon 4 Jan 2027 09:21",
  );
  await world.pass(11 * 60_000, 10_000);
  expect(await world.occurrences(id)).toMatchObject([{ status: "succeeded" }, { status: "succeeded" }]);
  const other = await world.add({ name: "Watch", cron: "@daily", prompt: "Look." });
  await control.act("disable", other, by(ANA, world));
  expect((await control.edit(other, { cron: "@hourly" }, by(ANA, world))).text).toBe(
    "✓ **Watch** · every hour Europe/Paris\n⏸ It is paused; `/jobs enable` resumes it.",
  );
});

test("a past reminder's name can be reused, and it is listed last", async () => {
  const world = await openWorld();
  const { control } = world.jobs;
  const call = { name: "Call", at: "in 10 minutes", prompt: "Call." };
  const first = await world.add(call);
  const taken = "There is already a job **Call**. Choose a different `--name`.";
  expect(await control.preview(call, by(ANA, world))).toEqual({ type: "refused", reason: taken });
  await world.add({ name: "Watch", cron: "@daily", prompt: "Look." });
  await world.pass(11 * 60_000, 10_000);
  expect((await control.list(by(ANA, world))).text).toMatch(/Watch.*\n✓ \*\*Call\*\* · once, .* · done · /u);
  expect((await control.overview(by(ANA, world))).map(({ name, isDone }) => [name, isDone])).toEqual([
    ["Watch", false],
    ["Call", true],
  ]);
  expect((await control.add(call, by(BEN, world))).text).toBe(taken);
  expect(await control.preview(call, by(ANA, world))).toMatchObject({ type: "job" });
  expect(await control.add(call, by(ANA, world))).toMatchObject({ isDone: true });
  await world.pass(11 * 60_000, 10_000);
  expect([await world.store.jobs.get(first), world.posts().length]).toEqual([null, 2]);
});

test("due times during a pause are not caught up when the job is enabled", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Watch", cron: "0 * * * *", prompt: "Look." });
  await world.jobs.control.act("disable", id, by(ANA, world));
  await world.pass(3 * 3_600_000, 30_000);
  await world.jobs.control.act("enable", id, by(ANA, world));
  await world.pass(3_660_000, 10_000);
  expect((await world.occurrences(id)).map(({ status }) => status)).toEqual(["succeeded"]);
});

test("a redelivered request for a run starts one run", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Watch", cron: "@daily", prompt: "Look." });
  const request = by(ANA, world);
  expect(await world.jobs.control.act("run", id, request)).toMatchObject({ isDone: true });
  await world.pass(5_000);
  await world.jobs.control.act("run", id, request);
  await world.pass(5_000);
  expect(world.runs).toHaveLength(1);
  expect(await world.occurrences(id)).toMatchObject([{ trigger: "person", status: "succeeded" }]);
});

test("the jobs file defines its jobs: changes are read again, and they cannot be edited in chat", async () => {
  const file = path.join(tempDirectory(), "jobs.json");
  const entry = (name: string, more: object = {}) => ({
    name,
    cron: "0 10 * * *",
    prompt: "Look.",
    channel: "slack:T1/C1",
    ...more,
  });
  writeFileSync(
    file,
    JSON.stringify([entry("One", { owner: "slack:U1", tools: ["bash"], silent: true }), entry("Two")]),
  );
  const world = await openWorld({ file });
  const names = async () =>
    (await world.store.jobs.all()).jobs.map(({ name, source, enabled }) => `${name} ${source} ${enabled}`);
  expect(await names()).toEqual(["One file true", "Two file true"]);
  expect((await world.jobs.control.list(by(ANA, world))).text).toContain("from the jobs file");
  expect(await world.jobs.control.act("remove", "One", by(ANA, world))).toMatchObject({ isDone: false });

  writeFileSync(file, JSON.stringify([entry("Two", { enabled: false }), entry("Three")]));
  await world.pass(61_000);
  // Reading the file takes real time, which the test's clock does not cover.
  await until(async () => (await names()).join() === "Three file true,Two file false", {
    what: () => "the file to be read again",
  });
  // While an entry cannot be read, no job counts as removed from the file.
  writeFileSync(file, JSON.stringify([entry("Three"), { nonsense: 1 }, entry("Four")]));
  await world.pass(61_000);
  await until(async () => (await names()).includes("Four file true"), {
    what: () => "the file to be read once more",
  });
  expect(await names()).toEqual(["Four file true", "Three file true", "Two file false"]);
});
