import { expect, test } from "vitest";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { keepCaughtUp } from "../../../src/core/people/missed-messages.ts";
import type { InboundEvent, InboundMessage } from "../../../src/core/platform/inbound.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { aPlatform } from "../../support/talk/a-platform.ts";
import { intakeOptions, mention } from "../inbound/intake-fixture.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** 14:00 in Paris. */
const NOON = Date.UTC(2026, 10, 20, 13, 0);

/** A platform that was last connected at `seenAt`, and connects again `awayMs` later. */
interface Staging {
  readonly seenAt?: number | null;
  readonly awayMs?: number;
  /** Answers of the platform, in order; after these it answers that nothing was missed. */
  readonly answers?: (readonly InboundEvent[] | Error)[];
}

async function stage({ seenAt = NOON, awayMs = 28 * MINUTE, answers = [] }: Staging = {}) {
  const { options } = await intakeOptions();
  const { store } = options;
  if (seenAt !== null) await store.transaction((tx) => tx.presence.seen("slack", seenAt));
  const clock = new ManualClock((seenAt ?? NOON) + awayMs);
  const asked: number[] = [];
  const state = { connected: true, receivingSince: 1 };
  const taken: InboundMessage[] = [];
  const intake = createIntake(options);
  const stopping = new AbortController();
  const keeping = keepCaughtUp(
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
      platform: {
        descriptor: aPlatform(),
        health: () => ({ ...state, detail: "" }),
        postEphemeral: () => Promise.resolve(),
        missed: ({ since }) => {
          asked.push(since);
          const answer = answers.shift() ?? [];
          return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        },
      },
    },
    stopping.signal,
  );
  /** Resolves once the platform has been checked and the next check is scheduled. */
  const looked = () => expect.poll(() => clock.pending).toBe(1);
  const stop = async () => {
    stopping.abort();
    await keeping;
  };
  return { store, clock, asked, state, taken, looked, stop };
}

test("nothing was missed on a platform without a recorded presence", async () => {
  const { asked, looked, stop, store, clock } = await stage({ seenAt: null });
  await looked();
  expect(asked).toEqual([]);
  expect(await store.presence.seenAt("slack")).toBe(clock.now());
  await stop();
});

test.each([
  { awayMs: 28 * MINUTE, line: "⚠ I was away from 14:00 to 14:28.", sinceMs: 30 * MINUTE },
  {
    awayMs: 20 * 60 * MINUTE,
    line: "⚠ I was away from 20 Nov 14:00 to 21 Nov 10:00.",
    sinceMs: 20 * 60 * MINUTE + 2 * MINUTE,
  },
  { awayMs: 3 * DAY, line: "⚠ I was away from 20 Nov 14:00 to 23 Nov 14:00.", sinceMs: DAY },
])("the absence notice “$line” precedes a thread's first late answer", async ({ awayMs, line, sinceMs }) => {
  const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "2" } as const;
  const answers = [[mention("one"), mention("two"), mention("three", { thread })]];
  const { asked, clock, taken, looked, stop } = await stage({ awayMs, answers });
  await looked();
  expect(asked).toEqual([clock.now() - sinceMs]);
  expect(taken.map(({ late }) => late)).toEqual([line, undefined, line]);
  await stop();
});

test("after a failed read the search is repeated, and the presence is not advanced until then", async () => {
  const answers = [new PlatformError("network", "no response"), [mention("late")]];
  const { asked, clock, taken, looked, stop, store } = await stage({ answers });
  await looked();
  expect(taken).toEqual([]);
  expect(await store.presence.seenAt("slack")).toBe(NOON);
  await clock.advance(30_000);
  await expect.poll(() => asked.length).toBe(2);
  await looked();
  expect(taken.map(({ text }) => text)).toEqual(["late"]);
  expect(await store.presence.seenAt("slack")).toBe(clock.now());
  await stop();
});

test("a missing permission is not retried", async () => {
  const { clock, looked, stop, store } = await stage({
    answers: [new PlatformError("missing_scope", "channels:read")],
  });
  await looked();
  expect(await store.presence.seenAt("slack")).toBe(clock.now());
  await stop();
});

test("missed messages are searched for again after a lost connection", async () => {
  const { asked, clock, state, looked, stop } = await stage();
  await looked();
  state.connected = false;
  await clock.advance(30_000);
  await looked();
  expect(asked).toHaveLength(1);
  state.connected = true;
  await clock.advance(30_000);
  await expect.poll(() => asked.length).toBe(2);
  await stop();
});

test("after a renewed connection missed messages are searched for again, without an absence notice", async () => {
  const { asked, clock, state, taken, looked, stop } = await stage({ answers: [[], [mention("in between")]] });
  await looked();
  state.receivingSince = 2;
  await clock.advance(30_000);
  await expect.poll(() => asked.length).toBe(2);
  await looked();
  expect(taken).toMatchObject([{ text: "in between" }]);
  expect(taken[0]).not.toHaveProperty("late");
  await clock.advance(30_000);
  await looked();
  expect(asked).toHaveLength(2);
  await stop();
});

test("messages that were stored or answered before are skipped", async () => {
  const [request, command, late] = [mention("hello"), mention("/status"), mention("late")];
  const { options } = await intakeOptions();
  const receive = createIntake(options);
  await receive(request);
  await receive(command);
  expect(await options.store.inbox.has(request.key)).toBe(true);
  expect(await options.store.presence.wasAnswered(command.key)).toBe(true);
  expect(await options.store.presence.wasAnswered(late.key)).toBe(false);
});
