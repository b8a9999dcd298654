import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { BreeTicker } from "../../../src/jobs/scheduling/bree-ticker.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";

const { clock } = systemRuntime();

/** Starts Bree with its real timers and worker threads; `all` resolves after this many ticks. */
async function openTicker(awaited: number) {
  const ticker = new BreeTicker({ clock, log: silentLog });
  onTestFinished(() => ticker.stop());
  const ticks: { jobId: string; at: number }[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  await ticker.start((jobId) => {
    ticks.push({ jobId, at: clock.now() });
    if (ticks.length === awaited) resolve();
  });
  return { ticker, ticks, all };
}

test("200 jobs due at once tick once each, in time, on one shared worker", async () => {
  const { ticker, ticks, all } = await openTicker(200);
  const due = clock.now() + 1_500;
  for (let number = 0; number < 200; number += 1) await ticker.set(`job-${number}`, due);
  await all;
  expect(new Set(ticks.map(({ jobId }) => jobId)).size).toBe(200);
  expect(ticks.every(({ at }) => at >= due - 5)).toBe(true);
});

test("a rescheduled job ticks at its new time only, a cleared one never, and a past one at once", async () => {
  const { ticker, ticks, all } = await openTicker(3);
  const soon = clock.now() + 2_000;
  await ticker.set("moved", soon);
  await ticker.set("cleared", soon);
  await ticker.set("stays", soon);
  await ticker.set("moved", soon + 500);
  await ticker.clear("cleared");
  await ticker.set("past", soon - 10_000);
  await all;
  expect(ticks.map(({ jobId }) => jobId)).toEqual(["past", "stays", "moved"]);
});

test("a time that has passed when it is armed ticks at once", async () => {
  const { ticker, ticks, all } = await openTicker(2);
  await ticker.set("first", clock.now() + 50);
  const set = ticker.set("second", clock.now() + 50);
  // The event loop is blocked while Bree reads the time that it was given.
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  await set;
  await all;
  expect(ticks.map(({ jobId }) => jobId).toSorted()).toEqual(["first", "second"]);
});

test("a job can be scheduled again as soon as it has ticked", async () => {
  const ticker = new BreeTicker({ clock, log: silentLog });
  onTestFinished(() => ticker.stop());
  const { promise: thrice, resolve } = Promise.withResolvers<void>();
  let ticks = 0;
  await ticker.start((jobId) => {
    ticks += 1;
    if (ticks === 3) resolve();
    else ticker.set(jobId, clock.now() + 50).catch(resolve);
  });
  await ticker.set("again", clock.now() + 50);
  await thrice;
  expect(ticks).toBe(3);
});

test("a job ticks wherever the program is installed", async () => {
  const root = path.join(import.meta.dirname, "../../..");
  mkdirSync(path.join(root, "build"), { recursive: true });
  const home = mkdtempSync(path.join(root, "build", "c++ & été (1) "));
  onTestFinished(() => rmSync(home, { recursive: true }));
  cpSync(path.join(root, "src/jobs"), path.join(home, "src/jobs"), { recursive: true });
  symlinkSync(path.join(root, "src/core"), path.join(home, "src/core"));
  const module: unknown = await import(path.join(home, "src/jobs/scheduling/bree-ticker.ts"));
  const { BreeTicker: Installed } = z.object({ BreeTicker: z.custom<typeof BreeTicker>() }).parse(module);
  const ticker = new Installed({ clock, log: silentLog });
  onTestFinished(() => ticker.stop());
  const { promise: ticked, resolve } = Promise.withResolvers<string>();
  await ticker.start(resolve);
  await ticker.set("report", clock.now() + 200);
  expect(await ticked).toBe("report");
});
