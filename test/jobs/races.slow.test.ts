import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionEngine } from "../../src/core/engine/engine.ts";
import type { JobInput } from "../../src/core/jobs/job-control.ts";
import { JobRuns } from "../../src/jobs/runs/job-runs.ts";
import { beginWaiting } from "../../src/jobs/scheduling/begin-occurrence.ts";
import { JobScheduler } from "../../src/jobs/scheduling/scheduler.ts";
import { interleaved } from "../support/database/interleaved-store.ts";
import { type Postgres, startOwnPostgres } from "../support/database/postgres.ts";
import { besideOn } from "../support/program/beside.ts";
import { silentLog } from "../support/silent-log.ts";
import { CHANNEL, openWorld, type World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ADMIN = { id: "slack:UADMIN", name: "ana", roles: [] };

/** A PostgreSQL server because transactions run concurrently there, while SQLite serialises them. */
let postgres: Postgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterAll(() => postgres.stop());

/** Adds a job that is due every hour, first in an hour. */
async function hourly(input: JobInput = {}) {
  const url = await postgres.createDatabase();
  const world = await openWorld({ url });
  const id = await world.add({ name: "Race", cron: "0 * * * *", prompt: "Look.", ...input }, { person: ADMIN });
  const beside = await besideOn(url);
  return { world, id, beside };
}

async function statuses(world: World, jobId: string): Promise<string[]> {
  return (await world.occurrences(jobId)).map(({ status }) => status);
}

/** Parts for a scheduler and for runs of the test's own, beside the world's; their clock is `aheadMs` ahead. */
function partsOf({ clock, engine }: World, aheadMs: number) {
  return {
    runtime: {
      clock: {
        now: () => clock.now() + aheadMs,
        after: clock.after.bind(clock),
        sleep: clock.sleep.bind(clock),
      },
      ids: { next: (prefix: string) => `${prefix}_x` },
      random: { next: () => 0 },
    },
    engine: engine(),
    log: silentLog,
    refusalOf: () => Promise.resolve(null),
  };
}

const nobodyTells = () => Promise.resolve(undefined);
const TICKER = {
  start: () => Promise.resolve(),
  set: () => Promise.resolve(),
  clear: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};

async function runOf(world: World, jobId: string) {
  const [running] = await world.occurrences(jobId);
  return { jobId, occurrenceId: running?.id ?? "", runId: running?.runId ?? "", attempt: 1, timeoutMs: HOUR };
}

test("a job started three times concurrently runs once", async () => {
  const { world, id } = await hourly();
  const at = world.clock.now();
  const run = (ms: number) => world.jobs.control.act("run", id, { person: ADMIN, thread: CHANNEL, at: at + ms });
  const answers = await Promise.all([0, 1, 2].map(run));
  expect(answers.filter(({ isDone }) => isDone)).toHaveLength(1);
  expect(answers.filter(({ text }) => text === "It is already running.")).toHaveLength(2);
  await world.pass(10_000);
  expect(world.runs).toHaveLength(1);
});

test("a due time queued behind a run that is stopped concurrently starts", async () => {
  const { world, id, beside } = await hourly({ overlap: "queue", timeout: "86400" });
  world.play = () => ({ takesMs: 3 * HOUR });
  await world.pass(2 * HOUR - MINUTE, 10_000);
  const run = await runOf(world, id);
  const end = { verdict: "cancelled", text: "", costUsd: 0, durationMs: 1, transient: null, refusal: null } as const;
  const { store } = world;
  const parts = partsOf(world, 2 * MINUTE);
  const ending: Promise<void>[] = [];
  const engine: Pick<SessionEngine, "cancel" | "deliver" | "deliverAt"> = {
    deliverAt: () => Promise.resolve("new"),
    cancel: () => Promise.resolve(),
    deliver: (sessionId, event, claim) =>
      parts.engine.deliver(sessionId, event, async (tx) => {
        const isClaimed = (await claim?.(tx)) ?? true;
        if (ending.length > 0) return isClaimed;
        ending.push(desk.ended(run, end));
        await beside(Promise.all(ending));
        return isClaimed;
      }),
  };
  const scope = { ...parts, store, engine, agentOf: () => "build" };
  const own = new JobScheduler({ ...scope, ticker: TICKER, cluster: { size: () => 1 }, memberOf: nobodyTells });
  const scheduler = {
    check: (jobId: string) => own.check(jobId),
    runNow: () => Promise.resolve(null),
    startWaiting: (jobId: string) => beginWaiting(jobId, scope),
  };
  const desk = new JobRuns({ ...parts, store, scheduler });
  await scheduler.check(id);
  await Promise.all(ending);
  expect(await statuses(world, id)).toEqual(["cancelled", "running"]);
});

test("a job paused while its retry is being stored gets no retry", async () => {
  const { world, id, beside } = await hourly();
  world.play = () => ({ takesMs: 2 * MINUTE });
  await world.pass(HOUR + MINUTE, 10_000);
  const run = await runOf(world, id);
  const { store, jobs } = world;
  const pausing: Promise<unknown>[] = [];
  const pause = async () => {
    if (pausing.length > 0) return;
    pausing.push(jobs.control.act("disable", id, { person: ADMIN, thread: CHANNEL, at: world.clock.now() }));
    await beside(Promise.all(pausing));
  };
  const desk = new JobRuns({
    ...partsOf(world, 0),
    store: { ...store, transaction: (work) => store.transaction((tx) => work(interleaved(tx, 2, pause))) },
    scheduler: {
      check: () => Promise.resolve(),
      startWaiting: () => Promise.resolve(),
      runNow: () => Promise.resolve(null),
    },
  });
  const transient = { retryAfterMs: undefined };
  const end = { verdict: "failed", text: "overloaded", costUsd: 0, durationMs: 1, transient, refusal: null } as const;
  await desk.ended(run, end);
  await Promise.all(pausing);
  expect(await store.jobs.get(id)).toMatchObject({ enabled: false });
  expect(await statuses(world, id)).toEqual(["cancelled"]);
});
