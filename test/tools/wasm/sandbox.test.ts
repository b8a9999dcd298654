import { realpathSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { ConfinedView, Confinement } from "../../../src/tools/wasm/confinement.ts";
import { createSandbox } from "../../../src/tools/wasm/sandbox.ts";
import type { SandboxLimits } from "../../../src/tools/wasm/sandbox-options.ts";
import { buildGuests, SANDBOX_CHILD } from "../../support/program/built.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const GRANT = { writable: false, clock: true, timeoutMs: 20_000, memoryMb: 32, outputBytes: 10_000 };
const caller = { sessionId: "s", channelKey: "c", signal: new AbortController().signal, queued: () => {} };

async function withSandbox(options: { limits?: Partial<SandboxLimits>; buildDir?: string; confinement?: Confinement }) {
  await buildGuests();
  const sandbox = createSandbox({ ...SANDBOX_CHILD, ...options });
  const root = tempDirectory();
  const run = async (code: string, grant = {}, by = caller): Promise<unknown> => {
    const input = JSON.stringify({ code, file: null, maxChars: 100, overflow: "out", seed: 1 });
    return JSON.parse(await sandbox.call("js", input, { root, ...GRANT, ...grant }, by));
  };
  return { sandbox, run };
}

test("the process starts with the first call, exits when idle, and starts again", async () => {
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

test("calls in a closed sandbox fail, and running ones are ended", async () => {
  const { sandbox, run } = await withSandbox({});
  await run("1");
  const loop = expect(run("for (;;) {}")).rejects.toMatchObject({ code: "sandbox_failed" });
  await new Promise((resolve) => setImmediate(resolve));
  await sandbox.close();
  await loop;
  await expect(run("1")).rejects.toThrow("the sandbox is closed");
});

test("closing a sandbox ends all of its processes, including replaced ones", async () => {
  const roots = [tempDirectory()];
  const view = (): ConfinedView => ({ bwrap: process.execPath, args: [], mounts: roots.map(mountOf) });
  const confinement: Confinement = { isRequired: true, problem: () => Promise.resolve(null), view };
  const { sandbox, run } = await withSandbox({ confinement });
  await run("1", { root: roots[0] });
  const loop = expect(run("for (;;) {}", { root: roots[0] })).rejects.toMatchObject({ code: "sandbox_failed" });
  const first = sandbox.pid();
  roots.push(tempDirectory());
  await run("1", { root: roots[1] }, { ...caller, sessionId: "other" });
  expect(sandbox.pid()).not.toBe(first);
  await sandbox.close();
  await loop;
});

test("a call for a directory outside every process's view starts no process and replaces none", async () => {
  const root = tempDirectory();
  const view = (): ConfinedView => ({ bwrap: process.execPath, args: [], mounts: [mountOf(root)] });
  const confinement: Confinement = { isRequired: true, problem: () => Promise.resolve(null), view };
  const { sandbox, run } = await withSandbox({ confinement });
  const elsewhere = { root: tempDirectory() };
  await expect(run("1", elsewhere)).rejects.toThrow(`${elsewhere.root} is outside what the sandbox's process can see`);
  expect(sandbox.pid()).toBeUndefined();
  await run("1", { root });
  const pid = sandbox.pid();
  await expect(run("1", elsewhere)).rejects.toThrow("is outside");
  expect(sandbox.pid()).toBe(pid);
  await sandbox.close();
});

function mountOf(root: string): ConfinedView["mounts"][number] {
  const { dev, ino } = statSync(root);
  return { kind: "writable", real: realpathSync(root), identity: `${dev}:${ino}` };
}

test("an unresponsive process is killed after the call's time limit", async () => {
  const { sandbox, run } = await withSandbox({ limits: { graceMs: 50 } });
  await run("1");
  const frozen = sandbox.pid();
  process.kill(frozen ?? 0, "SIGSTOP");
  await expect(run("1", { timeoutMs: 200 })).rejects.toMatchObject({ code: "sandbox_failed" });
  expect(await run("2")).toMatchObject({ value: "2" });
  expect(sandbox.pid()).not.toBe(frozen);
  await sandbox.close();
});

test("missing guests are named with the command that builds them, and work once built", async () => {
  const buildDir = tempDirectory();
  const { sandbox, run } = await withSandbox({ buildDir });
  await expect(run("1")).rejects.toThrow("run: node wasm/build.ts");
  symlinkSync(path.resolve("build/wasm/js"), path.join(buildDir, "js"));
  expect(await run("1")).toMatchObject({ value: "1" });
  await sandbox.close();
});
