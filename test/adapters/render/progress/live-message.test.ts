import { expect, test } from "vitest";
import { LiveMessage } from "../../../../src/adapters/render/progress/live-message.ts";
import type { OutgoingMessage } from "../../../../src/core/platform/outgoing.ts";
import { PlatformError } from "../../../../src/core/protocol/errors.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { memoryLog } from "../memory-platform.ts";

function message(markdown: string): OutgoingMessage {
  return { lane: "progress", markdown, tone: "plain", buttons: [], files: [] };
}

function setup() {
  const clock = new ManualClock(0);
  const log = memoryLog();
  const edits: { at: number; text: string }[] = [];
  const content = { text: "start" };
  const next: { fails?: PlatformError; heldBy?: Promise<void> } = {};
  let inFlight = 0;
  const live = new LiveMessage(message("start"), {
    render: () => message(content.text),
    clock,
    log,
    async edit(latest) {
      inFlight += 1;
      expect(inFlight).toBe(1);
      await next.heldBy;
      const { markdown } = latest();
      const { fails } = next;
      delete next.fails;
      inFlight -= 1;
      if (fails !== undefined) throw fails;
      edits.push({ at: clock.now(), text: markdown });
    },
  });
  const change = (text: string) => {
    content.text = text;
    live.touch();
  };
  return { clock, edits, live, change, next, log };
}

test("changes in quick succession become one edit with the latest content", async () => {
  const { clock, edits, change } = setup();
  for (const text of ["a", "b", "c"]) change(text);
  await clock.advance(1_000);
  expect(edits).toEqual([{ at: 1_000, text: "c" }]);
});

test("edits continue after the clock is set back", async () => {
  const { clock, edits, change } = setup();
  change("a");
  clock.set(-3_600_000);
  await clock.advance(1_000);
  expect(edits.map(({ text }) => text)).toEqual(["a"]);
});

test("nothing is sent when nothing changed", async () => {
  const { clock, edits, change, live } = setup();
  change("start");
  await clock.advance(5_000);
  await live.finish(message("start"), 3);
  expect(edits).toEqual([]);
});

test("one edit is in flight at a time; later changes follow it", async () => {
  const { clock, edits, change, next } = setup();
  const { promise, resolve } = Promise.withResolvers<void>();
  next.heldBy = promise;
  change("a");
  await clock.advance(1_500);
  change("b");
  await clock.advance(1_500);
  expect(edits).toEqual([]);
  resolve();
  await clock.advance(5_000);
  expect(edits.map(({ text }) => text)).toEqual(["b"]);
});

test("a failed edit is logged and superseded by the next change", async () => {
  const { clock, edits, change, next, log } = setup();
  next.fails = new PlatformError("platform_failed", "500");
  change("a");
  await clock.advance(1_000);
  expect(edits).toEqual([]);
  expect(log.lines.map(({ event }) => event)).toEqual(["live_message_edit_failed"]);
  change("b");
  await clock.advance(1_000);
  expect(edits.map(({ text }) => text)).toEqual(["b"]);
});

test("the final content is sent at once, retried on failure, and followed by no other edit", async () => {
  const { clock, edits, change, live, next } = setup();
  change("a");
  next.fails = new PlatformError("network", "reset");
  expect(await live.finish(message("done"), 3)).toBe(true);
  change("late");
  await clock.runAll();
  expect(edits).toEqual([{ at: 0, text: "done" }]);
});

test("edits in a deleted thread are not retried", async () => {
  const { clock, edits, change, live, next } = setup();
  next.fails = new PlatformError("thread_gone", "message_not_found");
  change("a");
  await clock.advance(1_000);
  change("b");
  await clock.runAll();
  expect(await live.finish(message("done"), 3)).toBe(false);
  expect(edits).toEqual([]);
});

test("content that the platform refuses is reduced to its first line, which keeps being updated", async () => {
  const { clock, edits, change, next, live } = setup();
  next.fails = new PlatformError("defect", "invalid_blocks");
  change("turn 1\n| a | b |");
  await clock.advance(2_000);
  expect(edits).toEqual([{ at: 2_000, text: "turn 1" }]);
  expect(await live.finish(message("waits\n| a | b |"), 1)).toBe(true);
  expect(edits.at(-1)?.text).toBe("waits");
});
