import { expect, test } from "vitest";
import { PlatformError } from "../../src/core/protocol/errors.ts";
import { Reachability } from "../../src/ownership/reachability.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { silentLog } from "../support/silent-log.ts";
import { aPlatform } from "../support/talk/a-platform.ts";

const BROKEN = new PlatformError("network", "no response");
const REACHED = { reaches: ["slack"], receivingSince: { slack: 1 } };
const HAND_OVER_MS = 8_000;
const NOT_REACHED = { reaches: [], receivingSince: {} };

/** A process that serves Slack, and another one that reports this state. */
function beside(state: object) {
  const clock = new ManualClock();
  const health = { connected: true, detail: "" };
  const slack = { descriptor: aPlatform({ isOwn: false }), health: () => health };
  const cluster = { report: () => undefined, others: () => Promise.resolve([{ id: "other", state }]) };
  return {
    clock,
    health,
    reach: new Reachability({ platforms: new Map([["slack", slack]]), cluster, clock, log: silentLog }),
  };
}

test("a process with failing platform requests claims no session that another could claim, until it recovers", async () => {
  const { clock, reach } = beside(REACHED);
  expect(await reach.mayTake()).toBe(true);
  reach.record("slack", BROKEN);
  expect(await reach.mayTake()).toBe(false);
  reach.record("slack", null);
  expect(await reach.mayTake()).toBe(true);
  reach.record("slack", BROKEN);
  await clock.advance(2_000);
  expect(await reach.mayTake()).toBe(true);
});

test("a process without a platform connection claims no session that another could claim", async () => {
  const { health, reach } = beside(REACHED);
  health.connected = false;
  expect(await reach.mayTake()).toBe(false);
});

test("sessions are claimed if no process reaches the platform", async () => {
  const { health, reach } = beside(NOT_REACHED);
  reach.record("slack", BROKEN);
  health.connected = false;
  expect(await reach.mayTake()).toBe(true);
});

test("a process whose requests fail for two seconds yields its work to one that reaches the platform", async () => {
  const { clock, reach } = beside(REACHED);
  const { signal } = new AbortController();
  let isLost = false;
  const lose = async () => {
    await reach.lost(signal);
    isLost = true;
  };
  const losing = lose();
  reach.record("slack", BROKEN);
  await clock.advance(3_000);
  expect(isLost).toBe(false);
  reach.record("slack", BROKEN);
  await clock.advance(500);
  await losing;
});

test("a disconnected process yields its work after eight seconds to a connected one", async () => {
  const { clock, health, reach } = beside(REACHED);
  const losing = reach.lost(new AbortController().signal);
  health.connected = false;
  await clock.advance(HAND_OVER_MS + 1_000);
  expect(await losing).toMatchObject({ code: "platform_failed" });
});

test("if all processes lose their connection, the first one to reconnect does not make another yield", async () => {
  const state = { reaches: [], receivingSince: {} };
  const { clock, health, reach } = beside(state);
  const leaving = new AbortController();
  let isLost = false;
  const lose = async () => {
    await reach.lost(leaving.signal);
    isLost = true;
  };
  const losing = lose();
  health.connected = false;
  await clock.advance(HAND_OVER_MS + 2_000);
  // Slack delivers the events of the gap again: the other process has received events since long before.
  Object.assign(state, { reaches: ["slack"], receivingSince: { slack: 1 } });
  await clock.advance(HAND_OVER_MS - 1_000);
  health.connected = true;
  await clock.advance(HAND_OVER_MS);
  expect(isLost).toBe(false);
  leaving.abort();
  await expect(losing).rejects.toThrow();
});
