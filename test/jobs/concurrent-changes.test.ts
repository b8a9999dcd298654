import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { JobInput } from "../../src/core/jobs/job-control.ts";
import { settingsOf } from "../../src/core/store/jobs.ts";
import { JobRuns } from "../../src/jobs/runs/job-runs.ts";
import { beginNow } from "../../src/jobs/scheduling/begin-occurrence.ts";
import { interleaved } from "../support/database/interleaved-store.ts";
import { silentLog } from "../support/silent-log.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { CHANNEL, openWorld, type World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ADMIN = { id: "slack:UADMIN", name: "ana", roles: [] };

function byAdmin(world: World) {
  return { person: ADMIN, thread: CHANNEL, at: world.clock.now() };
}

async function statuses(world: World, jobId: string): Promise<string[]> {
  return (await world.occurrences(jobId)).map(({ status }) => status);
}

describe("a job rescheduled to one time tomorrow during its run runs tomorrow", () => {
  test.each([
    { was: "due once today", input: { at: "2027-01-04 10:00" } },
    { was: "due every day", input: { cron: "0 10 * * *" } },
  ])("if it was $was", async ({ input }) => {
    const world = await openWorld();
    const id = await world.add({ name: "Call", prompt: "Remind.", ...input });
    world.play = () => ({ takesMs: 4 * MINUTE });
    await world.pass(HOUR + MINUTE, 10_000);
    await world.jobs.control.edit(id, { at: "2027-01-05 10:00" }, byAdmin(world));
    await world.pass(10 * MINUTE, 10_000);
    await world.away(DAY - 20 * MINUTE);
    await world.pass(20 * MINUTE, 10_000);
    expect(await statuses(world, id)).toEqual(["succeeded", "succeeded"]);
    expect(await world.store.jobs.get(id)).toMatchObject({ enabled: false, pausedBecause: { by: "due_once" } });
  });

  test("if it is a reminder of the jobs file that was already due", async () => {
    const file = path.join(tempDirectory(), "jobs.json");
    const write = (at: string) =>
      writeFileSync(file, JSON.stringify([{ name: "Call", prompt: "Remind.", channel: "slack:T1/C1", at }]));
    write("2027-01-04 10:00");
    const world = await openWorld({ file });
    await world.pass(HOUR + MINUTE, 10_000);
    write("2027-01-05 10:00");
    await world.away(MINUTE);
    await world.away(DAY - 10 * MINUTE);
    await world.pass(20 * MINUTE, 10_000);
    expect(world.posts()).toHaveLength(2);
  });
});

describe("while a retry is pending", () => {
  async function failedOnce(input: JobInput = {}): Promise<{ world: World; id: string }> {
    const skills = ["watch"];
    const world = await openWorld({ skills });
    const when = { name: "Tidy", prompt: "Tidy.", cron: "0 * * * *", mode: "agi", tools: "bash", budget: "5" };
    const id = await world.add({ ...when, ...input }, { person: ADMIN });
    world.play = (_event, number) => (number === 1 ? { fails: "overloaded" } : {});
    await world.pass(HOUR + 10_000, 10_000);
    expect(await statuses(world, id)).toEqual(["retrying"]);
    return { world, id };
  }

  test.each<{ what: string; input: JobInput; comes: boolean }>([
    { what: "less rights", input: { mode: "read", tools: "" }, comes: false },
    { what: "something else to do", input: { prompt: "Look." }, comes: false },
    { what: "less money", input: { budget: "1" }, comes: false },
    { what: "another name and other hours", input: { name: "Other", cron: "30 * * * *" }, comes: true },
  ])("if a job gets $what, the retry still happens: $comes", async ({ input, comes }) => {
    const { world, id } = await failedOnce();
    const answer = await world.jobs.control.edit(id, input, byAdmin(world));
    expect(answer.isDone).toBe(true);
    expect(answer.text.includes("I cancelled the failed run's next attempt")).toBe(!comes);
    await world.pass(10 * MINUTE, 10_000);
    expect(await statuses(world, id)).toEqual([comes ? "succeeded" : "cancelled"]);
    expect(world.posts()).toHaveLength(comes ? 2 : 1);
  });

  test("a job continues after a clock that was a year ahead is corrected", async () => {
    const { world, id } = await failedOnce();
    world.play = () => ({ parks: true });
    world.clock.set(world.clock.now() - 365 * DAY);
    await world.pass(HOUR, 10_000);
    expect((await statuses(world, id)).toSorted()).toEqual(["cancelled", "running"]);
  });

  test("a retry whose owner has lost access does nothing and says why", async () => {
    const access = { deny: [] as string[] };
    const world = await openWorld({ access });
    const id = await world.add({ name: "Tidy", prompt: "Tidy.", cron: "0 10 * * *" });
    world.play = (_event, number) => (number === 1 ? { fails: "overloaded" } : {});
    await world.pass(HOUR + 10_000, 10_000);
    access.deny.push("slack:U1");
    await world.pass(10 * MINUTE, 10_000);
    expect(world.posts()[1]).toContain(
      "⏹ **Tidy** · stopped by a check that failed: @ana can no longer use me (`access.deny`)",
    );
    const { text } = await world.jobs.control.act("logs", id, byAdmin(world));
    expect(text).toMatch(/- ⏹ stopped · [^⏹]*Stopped by a check that failed/u);
  });
});

test.each(["edited", "removed"] as const)(
  "a job that is %s while somebody starts it runs in its current form",
  async (how) => {
    const world = await openWorld();
    const id = await world.add({ name: "Race", cron: "0 10 * * *", prompt: "Look.", tools: "bash" }, { person: ADMIN });
    const job = await world.store.jobs.get(id);
    if (job === null) throw new Error("no job");
    let isChanged = false;
    const change = async () => {
      if (isChanged) return;
      isChanged = true;
      if (how === "edited") await world.jobs.control.edit(id, { tools: "" }, byAdmin(world));
      else await world.jobs.control.act("remove", id, byAdmin(world));
    };
    const { store } = world;
    const open = async (jobId: string) => {
      await change();
      return store.occurrences.open(jobId);
    };
    const answer = await beginNow(job, world.clock.now(), {
      store: { ...store, occurrences: { ...store.occurrences, open } },
      engine: world.engine(),
      runtime: { clock: world.clock, ids: { next: (prefix) => `${prefix}_x` }, random: { next: () => 0 } },
      log: silentLog,
      agentOf: () => "build",
      refusalOf: () => Promise.resolve(null),
    });
    await world.pass(10_000);
    expect(answer).toBe(how === "edited" ? null : "It has been removed.");
    expect(world.runs.map(({ tools }) => tools)).toEqual(how === "edited" ? [[]] : []);
  },
);

test("a job that is paused at the moment its run fails gets no retry", async () => {
  const world = await openWorld();
  const id = await world.add({ name: "Race", cron: "0 10 * * *", prompt: "Look." }, { person: ADMIN });
  world.play = () => ({ takesMs: MINUTE });
  await world.pass(HOUR + 10_000, 10_000);
  const { id: occurrenceId = "", runId } = (await world.occurrences(id))[0] ?? {};
  const { store, clock } = world;
  const desk = new JobRuns({
    store,
    engine: {
      cancel: () => Promise.resolve(),
      deliver: () => Promise.resolve("new"),
      async deliverAt() {
        await world.jobs.control.act("disable", id, byAdmin(world));
        return "new";
      },
    },
    runtime: { clock, ids: { next: (prefix) => `${prefix}_x` }, random: { next: () => 0 } },
    log: silentLog,
    scheduler: {
      check: () => Promise.resolve(),
      startWaiting: () => Promise.resolve(),
      runNow: () => Promise.resolve(null),
    },
    refusalOf: () => Promise.resolve(null),
  });
  const transient = { retryAfterMs: undefined };
  const end = { verdict: "failed", text: "overloaded", costUsd: 0, durationMs: 1, transient, refusal: null } as const;
  await desk.ended({ jobId: id, occurrenceId, runId: runId ?? "", attempt: 1, timeoutMs: 300_000 }, end);
  expect(await statuses(world, id)).toEqual(["failed"]);
});

test.each([1, 2])("a job that is paused after %i queries of its retry is not run by it", async (looks) => {
  const world = await openWorld();
  const id = await world.add({ name: "Race", cron: "0 10 * * *", prompt: "Look." }, { person: ADMIN });
  world.play = () => ({ fails: "overloaded" });
  await world.pass(HOUR + 10_000, 10_000);
  const { id: occurrenceId = "", runId, sessionId } = (await world.occurrences(id))[0] ?? {};
  const { store, clock } = world;
  const pause = async () => {
    await world.jobs.control.act("disable", id, byAdmin(world));
  };
  const cancelled: string[] = [];
  const desk = new JobRuns({
    store: interleaved(store, looks, pause),
    engine: {
      cancel: async (_session, run) => {
        cancelled.push(run);
      },
      deliver: () => Promise.resolve("new"),
      deliverAt: () => Promise.resolve("new"),
    },
    runtime: { clock, ids: { next: (prefix) => `${prefix}_x` }, random: { next: () => 0 } },
    log: silentLog,
    scheduler: {
      check: () => Promise.resolve(),
      startWaiting: () => Promise.resolve(),
      runNow: () => Promise.resolve(null),
    },
    refusalOf: () => Promise.resolve(null),
  });
  const later = { jobId: id, occurrenceId, runId: "run_later", attempt: 2, timeoutMs: 300_000 };
  const event = { key: "later", body: { kind: "resume", of: "later" } } as const;
  const delivery = { sessionId: sessionId ?? "", event, wakes: false, resumes: false, dueAt: 0, at: 0 };
  await store.transaction(async (tx) => {
    const { seq } = await tx.inbox.insert(delivery);
    await tx.runs.begin({ id: later.runId, sessionId: sessionId ?? "", eventSeq: seq, at: 0 });
  });
  await desk.begins(later);
  const [occurrence] = await world.occurrences(id);
  expect(cancelled).toEqual(occurrence?.runId === runId ? ["run_later"] : []);
  expect(occurrence?.status).toBe(cancelled.length > 0 ? "cancelled" : "running");
});

test.each([1, 2, 3, 4])("a reminder rescheduled after %i queries of its ending run remains pending", async (looks) => {
  const world = await openWorld();
  const id = await world.add({ name: "Call", prompt: "Remind.", at: "2027-01-04 10:00" }, { person: ADMIN });
  world.play = () => ({ takesMs: HOUR });
  await world.pass(HOUR + MINUTE, 10_000);
  const { id: occurrenceId = "", runId } = (await world.occurrences(id))[0] ?? {};
  const { store, clock } = world;
  let isChanged = false;
  const change = async () => {
    isChanged = true;
    await world.jobs.control.edit(id, { at: "2027-01-05 10:00" }, byAdmin(world));
  };
  const desk = new JobRuns({
    store: interleaved(store, looks, change),
    engine: {
      cancel: () => Promise.resolve(),
      deliver: () => Promise.resolve("new"),
      deliverAt: () => Promise.resolve("new"),
    },
    runtime: { clock, ids: { next: (prefix) => `${prefix}_x` }, random: { next: () => 0 } },
    log: silentLog,
    scheduler: {
      check: () => Promise.resolve(),
      startWaiting: () => Promise.resolve(),
      runNow: () => Promise.resolve(null),
    },
    refusalOf: () => Promise.resolve(null),
  });
  const end = {
    verdict: "succeeded",
    text: "Called.",
    costUsd: 0,
    durationMs: 1,
    transient: null,
    refusal: null,
  } as const;
  await desk.ended({ jobId: id, occurrenceId, runId: runId ?? "", attempt: 1, timeoutMs: 300_000 }, end);
  expect(await store.jobs.get(id)).toMatchObject({ enabled: isChanged });
});

test.each(["renamed", "removed"] as const)(
  "a long report whose job is %s while the program is down in the middle of it is still completed",
  async (how) => {
    const world = await openWorld();
    const id = await world.add({ name: "Long", cron: "0 10 * * *", prompt: "Look." });
    const lines = Array.from({ length: 30 }, (_, index) => `This is line ${index} of the report`);
    world.play = () => ({ says: lines.join("\n") });
    world.killWhen(() => Promise.resolve(world.posts().length === 2));
    await world.pass(HOUR + MINUTE, 10_000);
    expect(world.isKilled()).toBe(true);
    const job = await world.store.jobs.get(id);
    if (job === null) throw new Error("no job");
    const name = "A name that is so much longer that every message of the report would end at another line";
    await world.store.transaction(async (tx) => {
      if (how === "removed") return tx.jobs.remove(id);
      await tx.jobs.change(job, { ...settingsOf(job), name }, world.clock.now());
    });
    await world.startAgain();
    await world.pass(MINUTE, 1_000);
    const landed = [...world.platform.messages.values()].map(({ markdown }) => markdown).join("\n");
    expect(landed.match(/^This is line \d+ of the report$/gmu)).toEqual(lines);
  },
);
