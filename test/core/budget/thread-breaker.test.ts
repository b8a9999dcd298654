import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ThreadBreaker } from "../../../src/core/budget/thread-breaker.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { removeDirectory } from "../../support/remove-directory.ts";

let directory: string;
let store: Store;
const processes = (count: number) => ({ size: () => count });
let clock: ManualClock;
let runs = 0;

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "deckhand-breaker-"));
  clock = new ManualClock();
  runs = 0;
  store = await openFileStore(path.join(directory, "a.db"), { ...systemRuntime(), clock });
  await store.transaction((tx) =>
    tx.sessions.create({
      id: "ses_1",
      key: "slack:T1:C1:1.1",
      thread: { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1.1" },
      workspaceName: "Acme",
      channel: { name: "ops", kind: "channel" },
      agent: "build",
      createdBy: "slack:U1",
      at: clock.now(),
    }),
  );
});
afterEach(async () => {
  await store.close();
  await removeDirectory(directory);
});

/** Sends a message `pauseMs` after the last run ended; the run that it begins lasts two seconds. */
async function converse(breaker: ThreadBreaker, pauseMs: number): Promise<string> {
  await clock.advance(pauseMs);
  const verdict = await breaker.arrives("ses_1");
  if (verdict !== "goes on") return verdict;
  runs += 1;
  const id = `run_${runs}`;
  await store.transaction((tx) => tx.runs.begin({ id, sessionId: "ses_1", eventSeq: runs, at: clock.now() }));
  await clock.advance(2_000);
  await store.transaction((tx) =>
    tx.runs.end(id, { type: "cancelled", cause: { by: "person", name: "@ana" } }, clock.now()),
  );
  return verdict;
}

async function verdicts(breaker: ThreadBreaker, count: number, pauseMs: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let message = 0; message < count; message += 1) {
    const verdict = await converse(breaker, pauseMs);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
  }
  return counts;
}

test("a thread in which every answer gets an immediate reply is stopped after 31 runs, with one notice", async () => {
  const breaker = new ThreadBreaker({ store, clock, cluster: processes(1) });
  expect(await verdicts(breaker, 40, 1_000)).toEqual({ "goes on": 31, stops: 1, stopped: 8 });
});

test("a stopped thread is released once its runs are ten minutes old", async () => {
  const breaker = new ThreadBreaker({ store, clock, cluster: processes(1) });
  await verdicts(breaker, 35, 1_000);
  expect(await converse(breaker, 600_000)).toBe("goes on");
});

test("people who reply at human speed are never stopped, however much they write", async () => {
  const breaker = new ThreadBreaker({ store, clock, cluster: processes(1) });
  expect(await verdicts(breaker, 80, 6_000)).toEqual({ "goes on": 80 });
});

test("a thread served by three processes is stopped after about as many runs", async () => {
  const breakers = [1, 2, 3].map(() => new ThreadBreaker({ store, clock, cluster: processes(3) }));
  const told: string[] = [];
  for (let message = 0; message < 45; message += 1)
    told.push(await converse(breakers[message % breakers.length] ?? expect.fail(), 1_000));
  expect(told.indexOf("stops")).toBeLessThanOrEqual(33);
  expect(told.slice(33)).not.toContain("goes on");
});
