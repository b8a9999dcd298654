import { expect, test } from "vitest";
import { createSandbox } from "../../../src/tools/wasm/sandbox.ts";
import type { SandboxLimits } from "../../../src/tools/wasm/sandbox-options.ts";
import { buildGuests, SANDBOX_CHILD } from "../../support/program/built.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const GRANT = { writable: false, clock: true, timeoutMs: 20_000, memoryMb: 32, outputBytes: 10_000 };
const caller = { sessionId: "s", channelKey: "c", signal: new AbortController().signal, queued: () => {} };

async function withSandbox(options: { limits?: Partial<SandboxLimits>; buildDir?: string }) {
  await buildGuests();
  const sandbox = createSandbox({ ...SANDBOX_CHILD, ...options });
  const root = tempDirectory();
  const run = async (code: string, grant = {}): Promise<unknown> => {
    const input = JSON.stringify({ code, file: null, maxChars: 100, overflow: "out", seed: 1 });
    return JSON.parse(await sandbox.call("js", input, { root, ...GRANT, ...grant }, caller));
  };
  return { sandbox, run };
}

test("the process starts with the first call, ends when idle, and starts again", async () => {
  const { sandbox, run } = await withSandbox({ limits: { idleMs: 30 } });
  expect(sandbox.pid()).toBeUndefined();
  expect(await run("1")).toMatchObject({ value: "1" });
  const first = sandbox.pid();
  expect(first).toBeTypeOf("number");
  await expect.poll(() => sandbox.pid()).toBeUndefined();
  expect(await run("2")).toMatchObject({ value: "2" });
  expect(sandbox.pid()).not.toBe(first);
  await sandbox.close();
});

test("calls in a closed sandbox fail, and those that run are ended", async () => {
  const { sandbox, run } = await withSandbox({});
  await run("1");
  const loop = expect(run("for (;;) {}")).rejects.toMatchObject({ code: "sandbox_failed" });
  await new Promise((resolve) => setImmediate(resolve));
  await sandbox.close();
  await loop;
  await expect(run("1")).rejects.toThrow("the sandbox is closed");
});

test("a process that no longer answers is ended after the call's time", async () => {
  const { sandbox, run } = await withSandbox({ limits: { graceMs: 50 } });
  await run("1");
  const frozen = sandbox.pid();
  process.kill(frozen ?? 0, "SIGSTOP");
  await expect(run("1", { timeoutMs: 200 })).rejects.toMatchObject({ code: "sandbox_failed" });
  expect(await run("2")).toMatchObject({ value: "2" });
  expect(sandbox.pid()).not.toBe(frozen);
  await sandbox.close();
});

test("guests that are not built are named, with the command that builds them", async () => {
  const { sandbox, run } = await withSandbox({ buildDir: tempDirectory() });
  await expect(run("1")).rejects.toThrow("run: node wasm/build.ts");
  await sandbox.close();
});
