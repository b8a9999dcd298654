import path from "node:path";
import type { Worker } from "node:worker_threads";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { PROGRAM_LIMITS, SHELL_LIMITS } from "../../../src/tools/wasm/capability.ts";
import { createModuleCache } from "../../../src/tools/wasm/child/modules.ts";
import { createPool, type IdleLimits } from "../../../src/tools/wasm/child/pool.ts";
import { buildGuests } from "../../support/program/built.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

beforeAll(async () => {
  await buildGuests();
});

/** A pool in this process, with the workers that it has started and those that are alive. */
function poolWith(limits: IdleLimits) {
  const begun: Worker[] = [];
  const alive = new Set<Worker>();
  const watch = (worker: Worker): void => {
    begun.push(worker);
    alive.add(worker);
    worker.once("exit", () => alive.delete(worker));
  };
  process.on("worker", watch);
  onTestFinished(async () => {
    process.off("worker", watch);
    await Promise.all([...alive].map((worker) => worker.terminate()));
  });
  const pool = createPool(createModuleCache(path.resolve("build/wasm")), limits);
  const root = tempDirectory();
  let id = 0;
  const run = async (guest: "js" | "bash", body: object): Promise<unknown> => {
    const input = JSON.stringify({ ...body, maxChars: 10_000, overflow: "out", seed: 1 });
    const capability = { root, writable: false, ...(guest === "js" ? PROGRAM_LIMITS : SHELL_LIMITS) };
    const outcome = await pool.run(
      { type: "run", id: ++id, guest, input, capability },
      { changed: () => {}, fetch: () => {}, printed: () => {}, grown: () => {} },
    );
    return outcome.type === "ok" ? JSON.parse(outcome.output) : outcome;
  };
  const call = (code: string) => run("js", { code, file: null });
  const shell = (command: string) =>
    run("bash", { command, cwd: "", env: {}, timeoutMs: 60_000, bound: null, looks: false });
  return {
    begun,
    alive,
    call,
    shell,
    burst: (code: string) => Promise.all(Array.from({ length: 2 }, () => call(code))),
  };
}

test("workers are reused for later calls, without state of earlier ones", async () => {
  const { begun, burst } = poolWith({ workers: 1, lingerMs: 60_000 });
  const [first] = await burst("const before = globalThis.left; globalThis.left = 'here'; String(before)");
  expect(first).toMatchObject({ value: "undefined" });
  expect(begun).toHaveLength(2);
  for (const result of await burst("String(globalThis.left)")) expect(result).toEqual(first);
  expect(begun).toHaveLength(2);
});

test("when idle, the configured number of workers is kept", async () => {
  const { begun, alive, burst, call } = poolWith({ workers: 1, lingerMs: 20 });
  await burst("1");
  await expect.poll(() => alive.size).toBe(1);
  await call("1");
  expect(begun).toHaveLength(2);
});

test("a script sees nothing of earlier ones in the same worker", async () => {
  const { begun, shell } = poolWith({ workers: 1, lingerMs: 60_000 });
  const leave =
    "export LEFT=here; left() { echo here; }; alias also='echo here'; shopt -s nullglob; set -o noclobber; echo here > /tmp/left; cd /tmp";
  const look =
    "pwd; env | sort; type left; alias; shopt nullglob; set -o; ls -A /tmp /; cat /tmp/left; history; jobs; echo $! $RANDOM";
  const before = await shell(look);
  expect(await shell(`${leave}\n${look}`)).toMatchObject({ stdout: { text: expect.stringContaining("LEFT=here") } });
  expect(await shell(look)).toEqual(before);
  expect(begun).toHaveLength(1);
});
