import { expect, test } from "vitest";
import { guardedEvents } from "../../../src/core/providers/stall.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** A source that yields one event and then hangs, even when aborted. */
async function* hanging(): AsyncGenerator<string> {
  yield "first";
  await new Promise(() => {});
}

test("an abort ends even a source that hangs, with the signal's reason", async () => {
  const stopping = new AbortController();
  const events = guardedEvents(hanging(), { clock: new ManualClock(), limitMs: 1_000, signal: stopping.signal });
  expect(await events.next()).toEqual({ value: "first", done: false });
  const waiting = events.next();
  stopping.abort(new Error("stopped by a person"));
  await expect(waiting).rejects.toThrow("stopped by a person");
});

test("an already aborted signal yields no event", async () => {
  const signal = AbortSignal.abort(new Error("stopped before"));
  const events = guardedEvents(hanging(), { clock: new ManualClock(), limitMs: 1_000, signal });
  await expect(events.next()).rejects.toThrow("stopped before");
});

test("the timeout restarts with each event, and no timer remains", async () => {
  const clock = new ManualClock();
  const events = guardedEvents(hanging(), { clock, limitMs: 1_000, signal: new AbortController().signal });
  await events.next();
  expect(clock.pending).toBe(0);
  const waiting = events.next();
  const outcome = expect(waiting).rejects.toMatchObject({ code: "stalled" });
  await clock.advance(999);
  expect(clock.pending).toBe(1);
  await clock.advance(1);
  await outcome;
  expect(clock.pending).toBe(0);
});
