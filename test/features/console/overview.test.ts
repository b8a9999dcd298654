import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/core/store/store.ts";
import { createHealthWatch } from "../../../src/features/console/overview/health-watch.ts";
import { useEmptiedFiles, useEmptiedPostgres } from "../../support/database/emptied-databases.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type SeededSession, seedSessions } from "./seed.ts";
import { account, world } from "./sessions-world.ts";

const DAY_MS = 86_400_000;
/** The tenth of a month, an hour after midnight. */
const NOW = Date.UTC(2026, 2, 10, 1);

const SESSIONS: readonly SeededSession[] = [
  { id: "a", channelKey: "slack:C1", title: "the red boat", outcome: null, costUsd: 0.5, at: NOW - 5_000 },
  { id: "b", channelKey: "slack:C2", title: "the board's plan", outcome: null, person: "slack:U0BOB", at: NOW - 9_000 },
  { id: "c", channelKey: "slack:C1", title: "with a child", outcome: "end_turn", costUsd: 1, at: NOW - 8_000 },
  { id: "d", channelKey: "slack:C1", title: "child's", outcome: null, costUsd: 2, at: NOW - 7_000, parentId: "c" },
  {
    id: "e",
    channelKey: "slack:C1",
    title: "/skill broken today",
    outcome: "error",
    errorCode: "quota",
    at: NOW - 6_000,
  },
  { id: "f", channelKey: "slack:C2", title: "broken elsewhere", outcome: "error", at: NOW - 6_000 },
  { id: "g", channelKey: "slack:C1", title: "broken before", outcome: "error", costUsd: 4, at: NOW - DAY_MS },
  { id: "h", channelKey: "slack:C1", title: "stopped", outcome: "cancelled", costUsd: 8, at: NOW - 12 * DAY_MS },
];

describe.each([
  ["SQLite", useEmptiedFiles()],
  ["PostgreSQL", useEmptiedPostgres()],
])("on %s", (_name, emptied) => {
  const opened = async (): Promise<Store> => {
    const { store } = await emptied();
    await seedSessions(store, SESSIONS);
    await store.transaction(async (tx) => {
      for (const sessionId of ["b", "d"]) {
        await tx.approvals.create({
          id: `${sessionId}-run:1`,
          sessionId,
          runId: `${sessionId}-run`,
          turn: 1,
          calls: [{ callId: "c", tool: "bash", input: "{}", grant: { key: "x", label: "x" }, title: "rm old.toml" }],
          people: { requester: { id: "slack:U0ANA", name: "ana" }, others: [], mayRemember: true },
          createdAt: NOW - 4_000,
          expiresAt: NOW + 4_000,
        });
      }
    });
    return store;
  };

  test("a person sees running, waiting and failed runs of visible channels, and their own spending", async () => {
    const { overview, clock } = world({ store: await opened() });
    clock.set(NOW);
    const { working, waiting, failed, spending } = await overview(account(["slack:U0ANA"]));
    expect(working).toMatchObject([
      { sessionId: "c", state: "waiting", since: NOW - 7_000, stop: "stop:d-run" },
      { sessionId: "a", title: "the red boat", state: "working", by: "ana", since: NOW - 5_000, stop: "stop:a-run" },
    ]);
    // A sub-agent's question is its session's.
    expect(waiting).toMatchObject([{ sessionId: "c", kind: "approval", about: "rm old.toml", since: NOW - 4_000 }]);
    expect(failed).toMatchObject([{ sessionId: "e", title: "broken today", platform: "Slack" }]);
    expect(failed[0]?.words).toContain("account has reached its spending or usage limit");
    expect(spending).toEqual({
      own: { dayUsd: 3.5, monthUsd: 7.5, unpriced: 0, dayLimitUsd: 5 },
      all: null,
    });
  });

  test("an admin sees all spending but no further activity; a viewer cannot stop a run", async () => {
    const { overview, clock } = world({ store: await opened() });
    clock.set(NOW);
    const admin = await overview(account([], "admin"));
    expect([admin.working, admin.waiting, admin.failed]).toEqual([[], [], []]);
    expect(admin.spending.all).toEqual({ dayUsd: 3.5, monthUsd: 7.5, unpriced: 0, dayLimitUsd: 50 });
    const viewer = await overview(account(["slack:U0ANA"], "viewer"));
    expect(viewer.working.map(({ stop }) => stop)).toEqual([null, null]);
    const operator = await overview({ kind: "operator" });
    expect(operator.working.map(({ sessionId, stop }) => [sessionId, stop])).toEqual([
      ["b", "stop:b-run"],
      ["c", "stop:d-run"],
      ["a", "stop:a-run"],
    ]);
    expect(operator.waiting.length).toBe(2);
    expect(operator.failed.map(({ words }) => words)).toContain("It failed; its session says why.");
    expect(operator.spending.own).toBeNull();
  });
});

test("a platform's state has its start time, and its last problem is remembered", () => {
  const clock = new ManualClock();
  const states = new Map([["slack", { connected: false, detail: "connecting" }]]);
  const watch = createHealthWatch(() => states, clock);
  const seen = (at: number, state: { connected: boolean; detail: string }) => {
    clock.set(at);
    states.set("slack", state);
    return watch.states().get("slack");
  };
  const up = { connected: true, detail: "connected" };
  const down = { connected: false, detail: "the connection was lost" };
  expect(seen(10, { connected: false, detail: "connecting" })).toMatchObject({ since: 10, lastProblem: null });
  expect(seen(20, up)).toMatchObject({ since: 20, lastProblem: null });
  expect(seen(30, up)).toMatchObject({ since: 20, lastProblem: null });
  expect(seen(40, down)).toMatchObject({ since: 40, lastProblem: { at: 40, detail: down.detail } });
  expect(seen(50, down)).toMatchObject({ since: 40, lastProblem: { at: 40 } });
  expect(seen(60, up)).toMatchObject({ connected: true, since: 60, lastProblem: { at: 40, detail: down.detail } });
  expect(seen(70, down)).toMatchObject({ since: 70, lastProblem: { at: 70 } });
});
