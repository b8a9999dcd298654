import { fork } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createSandbox } from "../../../src/tools/wasm/sandbox.ts";
import { buildGuests, SANDBOX_CHILD } from "../../support/program/built.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const BOT = fileURLToPath(new URL("./frozen-bot.ts", import.meta.url));

test("a guest stops writing while its bot is frozen, since others may own its files, and continues afterwards", async () => {
  await buildGuests();
  const root = tempDirectory();
  const bot = fork(BOT, [root]);
  try {
    const size = () => statSync(path.join(root, "log"), { throwIfNoEntry: false })?.size ?? 0;
    await expect.poll(size).toBeGreaterThan(0);
    bot.kill("SIGSTOP");
    let last = -1;
    const hasGrown = () => {
      const before = last;
      last = size();
      return last > before;
    };
    await expect.poll(hasGrown, { interval: 700 }).toBe(false);
    bot.kill("SIGCONT");
    await expect.poll(size).toBeGreaterThan(last);
  } finally {
    bot.kill("SIGKILL");
    await once(bot, "exit");
  }
});

const GRANT = { clock: true, timeoutMs: 20_000, memoryMb: 32, outputBytes: 10_000 };
const input = JSON.stringify({ code: "1", file: null, maxChars: 100, overflow: "out", seed: 1 });

test("a writing call holds its root's lock until its end, and a read-only call needs none", async () => {
  await buildGuests();
  const root = tempDirectory();
  const told: string[] = [];
  const release = () => void told.push("released");
  const sandbox = createSandbox({
    ...SANDBOX_CHILD,
    lock: async (name, { queued }) => {
      told.push(name);
      queued(1);
      return { validForMs: () => 1_000, requireHeld: () => Promise.resolve(), [Symbol.dispose]: release };
    },
  });
  const signal = new AbortController().signal;
  const caller = {
    sessionId: "s",
    channelKey: "c",
    signal,
    queued: (before: number) => void told.push(`${before} before`),
  };
  await sandbox.call("js", input, { root, writable: false, ...GRANT }, caller);
  expect(told).toEqual([]);
  await sandbox.call("js", input, { root, writable: true, ...GRANT }, caller);
  expect(told).toEqual([root, "1 before", "released"]);
  const stop = new AbortController();
  stop.abort(new Error("stopped"));
  const stopped = sandbox.call("js", input, { root, writable: true, ...GRANT }, { ...caller, signal: stop.signal });
  await expect(stopped).rejects.toThrow("stopped");
  expect(told).toEqual([root, "1 before", "released", root, "1 before", "released"]);
  await sandbox.close();
});
