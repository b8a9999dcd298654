import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { EmbeddedEngine } from "../src/core/embedded-engine/embedded-engine.ts";
import type { SessionEngine } from "../src/core/engine/engine.ts";
import { membershipOn } from "../src/core/permissions/channel-access.ts";
import { skillCatalogue } from "../src/core/skills/skills.ts";
import type { JobSettings } from "../src/core/store/jobs.ts";
import { openStore } from "../src/core/store/store.ts";
import { createJobs } from "../src/jobs/jobs.ts";
import { JOB_DEFAULTS } from "../src/jobs/scheduling/job-input.ts";
import { onlyProcess } from "../src/ownership/only-process.ts";
import { PLATFORMS } from "../src/platforms.ts";
import { systemRuntime } from "../src/runtime.ts";
import { silentLog } from "../test/support/silent-log.ts";
import type { Figure } from "./measure.ts";

const RUNS = 3;
const JOBS = 500;

/**
 * Measures five hundred jobs due at once on SQLite: from the tick until each occurrence is claimed and its run
 * enqueued.
 */
export async function benchJobs(): Promise<readonly Figure[]> {
  const samples: number[] = [];
  for (let run = 0; run < RUNS; run++) samples.push(await timeToEnqueue());
  return [
    { name: `${JOBS} jobs due at once, until all are enqueued`, unit: "ms", aim: null, samples },
    { name: "each occurrence, from due to enqueued", unit: "ms", aim: 20, samples: samples.map((ms) => ms / JOBS) },
  ];
}

async function timeToEnqueue(): Promise<number> {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-bench-"));
  const runtime = systemRuntime();
  const store = await openStore(`file:${path.join(directory, "jobs.db")}`, runtime);
  const target = () => ({
    post: () => Promise.reject(new Error("nothing is posted")),
    find: () => Promise.resolve(null),
  });
  // The engine is not started, so events are stored but no run begins.
  const embedded = new EmbeddedEngine({ store, runtime, log: silentLog, maxConcurrentRuns: 32, target });
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let enqueued = 0;
  const engine: SessionEngine = {
    start: (handler) => embedded.start(handler),
    stop: (drainMs) => embedded.stop(drainMs),
    deliverAt: (sessionId, event, dueAt) => embedded.deliverAt(sessionId, event, dueAt),
    cancel: (sessionId, runId, by) => embedded.cancel(sessionId, runId, by),
    async deliver(sessionId, event, claim) {
      const outcome = await embedded.deliver(sessionId, event, claim);
      enqueued += 1;
      if (enqueued === JOBS) resolve();
      return outcome;
    },
  };
  const ids = Array.from({ length: JOBS }, (_, number) => `job_${number}`);
  let tick: (jobId: string) => void = () => undefined;
  const ticker = {
    start(onTick: (jobId: string) => void) {
      tick = onTick;
      return Promise.resolve();
    },
    set: () => Promise.resolve(),
    clear: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const jobs = createJobs({
    store,
    engine,
    runtime,
    log: silentLog,
    cluster: onlyProcess({ clock: runtime.clock, log: silentLog }),
    access: { admins: [], deny: [], guests: false, external: false },
    memberOf: () => Promise.resolve(undefined),
    approvals: { approvers: [], requester: true },
    agentOf: () => "build",
    agents: () => new Set(["build"]),
    models: { problemWith: () => Promise.resolve(null) },
    skillsOf: () => skillCatalogue([], []),
    tools: () => [],
    membershipOf: membershipOn(new Map()),
    platforms: PLATFORMS,
    isOn: () => true,
    defaultTimezone: "UTC",
    isTimezoneSet: true,
    readDeclared: () => Promise.resolve([]),
    logDays: 30,
    audit: () => Promise.resolve(),
    announce: () => Promise.reject(new Error("nothing is said")),
    ticker,
  });
  try {
    await jobs.start();
    // These jobs are added after the scheduler has looked, and are already due when it is notified.
    const at = runtime.clock.now();
    for (const [number, id] of ids.entries()) {
      const row = { ...settingsOf(number, at + 1), id, source: "chat", enabled: true, at } as const;
      await store.transaction((tx) => tx.jobs.add(row));
    }
    const started = performance.now();
    for (const id of ids) tick(id);
    await all;
    return performance.now() - started;
  } finally {
    await jobs.stop();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function settingsOf(number: number, dueOnce: number): JobSettings {
  return {
    ...JOB_DEFAULTS,
    tools: [],
    name: `Job ${number}`,
    thread: { platform: "slack", workspaceId: "T1", channelId: `C${number % 50}`, threadId: null },
    ownerId: "slack:U1",
    ownerName: "ana",
    cron: null,
    dueOnce,
    timezone: "UTC",
    prompt: "Look.",
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const figures = await benchJobs();
  for (const { name, unit, samples } of figures)
    console.log(`${name}: ${samples.map((ms) => ms.toFixed(1)).join(", ")} ${unit}`);
}
