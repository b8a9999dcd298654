import { expect, test } from "vitest";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { keepCaughtUpTogether } from "../../../src/core/people/shared-catch-up.ts";
import type { InboundMessage } from "../../../src/core/platform/inbound.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { aPlatform } from "../../support/talk/a-platform.ts";
import { intakeOptions, mention } from "../inbound/intake-fixture.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** 14:00 in Paris. */
const NOON = Date.UTC(2026, 10, 20, 13, 0);

interface Staging {
  /** How long this process has been receiving, in milliseconds; null if it is not. */
  readonly forMs: number | null;
  /** How long another process has been receiving, in milliseconds; null if none is. */
  readonly otherForMs: number | null;
}

/** A process was last known to receive at noon; this one checks the platform `awayMs` later. */
async function stage({ forMs, otherForMs }: Staging, awayMs = 30 * MINUTE) {
  const { options } = await intakeOptions();
  const { store } = options;
  await store.transaction((tx) => tx.presence.seen("slack", NOON));
  const clock = new ManualClock(NOON + awayMs);
  const asked: number[] = [];
  const taken: InboundMessage[] = [];
  const intake = createIntake(options);
  const state = { since: forMs === null ? null : clock.now() - forMs };
  const held: AbortController[] = [];
  const stopping = new AbortController();
  const keeping = keepCaughtUpTogether(
    {
      store,
      clock,
      log: silentLog,
      onStored: () => undefined,
      timezone: "Europe/Paris",
      receive: (event) => {
        if (event.kind === "message") taken.push(event);
        return intake(event);
      },
      cluster: {
        others: async () =>
          otherForMs === null
            ? [{ id: "other", state: { receivingSince: {} } }]
            : [{ id: "other", state: { receivingSince: { slack: NOON + awayMs - otherForMs } } }],
        hold(_role, work) {
          const controller = new AbortController();
          held.push(controller);
          const done = work(controller.signal);
          return async () => {
            controller.abort();
            await done;
          };
        },
      },
      platform: {
        descriptor: aPlatform(),
        health: () => ({ connected: true, detail: "", receivingSince: state.since }),
        postEphemeral: () => Promise.resolve(),
        missed: ({ since }) => {
          asked.push(since);
          return Promise.resolve([mention("hello")]);
        },
      },
    },
    stopping.signal,
  );
  const stop = async () => {
    stopping.abort();
    await keeping;
  };
  return { store, clock, asked, taken, state, held, stop };
}

test.each([
  { forMs: 0, otherForMs: 31 * MINUTE, what: "another one has received all the time" },
  { forMs: 31 * MINUTE, otherForMs: null, what: "this one has received all the time" },
])("nothing was missed while $what", async (given) => {
  const { asked, clock, store, stop } = await stage(given);
  await expect.poll(() => store.presence.seenAt("slack")).toBe(clock.now());
  expect(asked).toEqual([]);
  await stop();
});

test("messages sent while no process received are handled, with an absence notice", async () => {
  const { asked, taken, clock, stop } = await stage({ forMs: 2 * MINUTE, otherForMs: MINUTE });
  await expect.poll(() => taken.map(({ late }) => late)).toEqual(["⚠ I was away from 14:00 to 14:28."]);
  expect(asked).toEqual([clock.now() - 32 * MINUTE]);
  await stop();
});

test("a takeover by another process causes no absence notice", async () => {
  const { taken, stop } = await stage({ forMs: 0, otherForMs: null }, 8 * SECOND);
  await expect
    .poll(() => taken.map(({ text, late }) => ({ text, late })))
    .toEqual([{ text: "hello", late: undefined }]);
  await stop();
});

test("a process that no longer receives yields the platform to another", async () => {
  const { held, clock, state, stop } = await stage({ forMs: 0, otherForMs: null });
  await expect.poll(() => held.length).toBe(1);
  state.since = null;
  const isLeft = async () => {
    await clock.advance(SECOND);
    return held[0]?.signal.aborted;
  };
  await expect.poll(isLeft).toBe(true);
  expect(held).toHaveLength(1);
  await stop();
});
