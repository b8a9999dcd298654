import { expect, test } from "vitest";
import { PlatformError } from "../../src/core/protocol/errors.ts";
import { Reach } from "../../src/ownership/reach.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { silentLog } from "../support/silent-log.ts";
import { aPlatform } from "../support/talk/a-platform.ts";

const BROKEN = new PlatformError("network", "no response");
const REACHED = { reaches: ["slack"], receivingSince: { slack: 1 } };
const NOT_REACHED = { reaches: [], receivingSince: {} };

/** A process that serves Slack, beside one that says so much of it. */
function beside(state: object) {
  const clock = new ManualClock();
  const health = { connected: true, detail: "" };
  const slack = { descriptor: aPlatform({ isOwn: false }), health: () => health };
  const cluster = { report: () => undefined, others: () => Promise.resolve([{ id: "other", state }]) };
  return {
    clock,
    health,
    reach: new Reach({ platforms: new Map([["slack", slack]]), cluster, clock, log: silentLog }),
  };
}

test("a process whose request to a platform fails takes no session that another could take, until it works again", async () => {
  const { clock, reach } = beside(REACHED);
  expect(await reach.mayTake()).toBe(true);
  reach.note("slack", BROKEN);
  expect(await reach.mayTake()).toBe(false);
  reach.note("slack", null);
  expect(await reach.mayTake()).toBe(true);
  reach.note("slack", BROKEN);
  await clock.advance(2_000);
  expect(await reach.mayTake()).toBe(true);
});

test("a process that has lost its connection takes no session that another could take", async () => {
  const { health, reach } = beside(REACHED);
  health.connected = false;
  expect(await reach.mayTake()).toBe(false);
});

test("a process takes sessions where nobody reaches the platform", async () => {
  const { health, reach } = beside(NOT_REACHED);
  reach.note("slack", BROKEN);
  health.connected = false;
  expect(await reach.mayTake()).toBe(true);
});

test("a process whose requests go on failing for two seconds leaves the work to one that reaches the platform", async () => {
  const { clock, reach } = beside(REACHED);
  const { signal } = new AbortController();
  let isLost = false;
  const lose = async () => {
    await reach.lost(signal);
    isLost = true;
  };
  const losing = lose();
  reach.note("slack", BROKEN);
  await clock.advance(3_000);
  expect(isLost).toBe(false);
  reach.note("slack", BROKEN);
  await clock.advance(500);
  await losing;
});
