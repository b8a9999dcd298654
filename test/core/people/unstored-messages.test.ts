import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { UnstoredMessages } from "../../../src/core/people/unstored-messages.ts";
import type { InboundEvent, InboundMessage } from "../../../src/core/platform/inbound.ts";
import { ConnectionLost, isDiskFull } from "../../../src/core/protocol/database-failure.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { aPlatform } from "../../support/talk/a-platform.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { click, intakeOptions, mention, slash } from "../inbound/intake-fixture.ts";

const MINUTE = 60_000;
/** 14:00 in Paris. */
const NOON = Date.UTC(2026, 10, 20, 13, 0);

/** The error of a database whose disk is full. */
async function noRoom(): Promise<unknown> {
  const store = await openFileStore(path.join(tempDirectory(), "full.db"));
  onTestFinished(() => store.close());
  const full = store.transaction((tx) =>
    tx.tables(async (db) => {
      await db.$queryRawUnsafe("PRAGMA max_page_count = 1");
      await db.answeredMessage.create({ data: { key: "x".repeat(100_000), at: new Date(0) } });
    }),
  );
  return full.catch((error: unknown) => error);
}

/** A platform that delivers each event once, and a database that stores nothing until `failure` is null. */
async function stage(failure: unknown) {
  const { options } = await intakeOptions();
  const clock = new ManualClock(NOON);
  const state = { failure };
  const written: InboundMessage[] = [];
  const told: string[] = [];
  const stored: string[] = [];
  const taken: InboundMessage[] = [];
  const intake = createIntake(options);
  const untaken = new UnstoredMessages({
    store: options.store,
    clock,
    log: silentLog,
    timezone: "Europe/Paris",
    receive: async (event) => {
      if (state.failure !== null) throw state.failure;
      if (event.kind === "message") taken.push(event);
      return intake(event);
    },
    platform: {
      descriptor: aPlatform(),
      health: () => ({ connected: true, detail: "" }),
      postEphemeral: async (_thread, _person, { markdown }) => void told.push(markdown),
      missed: async () => written,
    },
    onStored: (reason) => stored.push(reason === null ? "stored" : isDiskFull(reason) ? "full" : "failed"),
  });
  const stopping = new AbortController();
  const keeping = untaken.keepTaking(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await keeping;
  });
  const deliver = async (event: InboundEvent) => {
    if (event.kind === "message") written.push(event);
    return untaken.receive(event).catch(() => undefined); // the rejection tells the sender
  };
  const looked = () => expect.poll(() => clock.pending).toBe(1);
  return { state, told, stored, taken, deliver, clock, looked };
}

test("messages sent while the disk is full are answered later, and the thread is told the reason for the delay", async () => {
  const { state, told, stored, taken, deliver, clock, looked } = await stage(await noRoom());
  await deliver(mention("one"));
  await deliver(mention("two"));
  expect(told).toEqual([expect.stringContaining("My disk is full")]);
  expect(stored).toEqual(["full", "full"]);
  for (let minutes = 0; minutes < 10; minutes += 1) {
    await looked();
    await clock.advance(MINUTE);
  }
  expect(taken).toEqual([]);
  state.failure = null;
  await looked();
  await clock.advance(MINUTE);
  await expect.poll(() => taken.map(({ text }) => text)).toEqual(["one", "two"]);
  expect(taken[0]?.late).toMatch(/^⚠ I was away from 14:00 to 14:1\d\.$/u);
  await looked();
  expect(stored.at(-1)).toBe("stored");
  await clock.advance(10 * MINUTE);
  expect(taken).toHaveLength(2);
});

test("clicks and commands while the database is unavailable are answered with a request to retry", async () => {
  const { state, stored, deliver } = await stage(await noRoom());
  for (const event of [click("stop"), slash("status")])
    expect(await deliver(event)).toEqual({ type: "refused", reason: expect.stringContaining("My disk is full") });
  state.failure = new ConnectionLost("Connection terminated unexpectedly");
  expect(await deliver(click("stop"))).toEqual({ type: "refused", reason: expect.stringContaining("in a moment") });
  expect(stored).toEqual([]);
});

test("messages that fail for another reason are not retried", async () => {
  const { state, told, stored, taken, deliver, clock, looked } = await stage(new Error("it cannot be read"));
  await deliver(mention("one"));
  state.failure = null;
  await looked();
  await clock.advance(10 * MINUTE);
  await looked();
  expect([told, stored, taken]).toEqual([[], [], []]);
});
