import { expect, test } from "vitest";
import { wakeSleepingRun } from "../../../src/core/engine/wake-sleeping-run.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { createSleep } from "../../../src/tools/native/sleep.ts";
import { ANA, message, nativeSession } from "../../support/native-session.ts";

const FIVE_MINUTES = { seconds: 300, reason: "the build" };

/** A session whose run sleeps. */
async function asleep() {
  const session = await nativeSession();
  const resume = () => session.callTool(createSleep(session.deps), FIVE_MINUTES);
  expect(await resume()).toBeNull();
  return { ...session, resume };
}

test("sleep ends by an event at its due time, and the end time is announced", async () => {
  const { resume, clock, store, waits, isWoken } = await asleep();
  expect(await store.inbox.nextDue(clock.now())).toBe(clock.now() + 300_000);
  const end = new Date(clock.now() + 300_000).toISOString().slice(11, 16);
  expect(waits).toEqual([`until ${end} UTC`]);
  await clock.advance(299_000);
  expect([await isWoken(), await resume()]).toEqual([false, null]);
  await clock.advance(1_000);
  expect(await isWoken()).toBe(true);
  expect(textOf((await resume())?.content ?? [])).toBe(`The pause of 5 min is over. It is ${end} UTC now.`);
});

test("a wake during the pause, such as a restart, does not restart it", async () => {
  const { resume, clock, store } = await asleep();
  const dueAt = await store.inbox.nextDue(clock.now());
  await clock.advance(200_000);
  expect(await resume()).toBeNull();
  expect(await store.inbox.nextDue(clock.now())).toBe(dueAt);
});

test.each(["running", "parked"] as const)("a message ends the pause early when the run is %s", async (status) => {
  const { resume, clock, store, engine, isWoken } = await asleep();
  await store.transaction(async (tx) => {
    // A run that is about to park counts as running until its thread shows that it is parked.
    await tx.runs.setStatus("run_1", status);
    const use = { type: "tool_use", id: "call_1", name: "sleep", input: FIVE_MINUTES } as const;
    await tx.toolCalls.add({ id: "run_1", sessionId: "ses_1" }, 1, [use]);
    await tx.toolCalls.begun("run_1", "call_1", 0);
  });
  await clock.advance(120_000);
  const { key, text, thread, messageId, at } = message("stop waiting");
  const rest = { quoted: [], attachments: [], thread, messageId, at, addressed: true, joinsThread: false };
  await engine.deliver("ses_1", { key, body: { kind: "message", author: ANA, text, ...rest } });
  expect(await isWoken()).toBe(false);
  await wakeSleepingRun("ses_1", key, { store, engine });
  expect(await isWoken()).toBe(true);
  expect((await resume())?.summary).toBe("a message came after 2 min");
});

test("a message to a session that is not sleeping wakes nothing", async () => {
  const { store, engine, isWoken } = await nativeSession();
  await wakeSleepingRun("ses_1", "m", { store, engine });
  expect(await isWoken()).toBe(false);
});
