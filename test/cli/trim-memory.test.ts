import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { restartOptions } from "../../src/cli/trim-memory.mjs";

const HERE = { platform: "linux", env: { PATH: "/bin" } };

test("the allocator is configured to release memory and use huge pages, and other variables are unchanged", () => {
  expect(restartOptions([], HERE)?.env).toEqual({
    PATH: "/bin",
    MALLOC_MMAP_THRESHOLD_: "131072",
    MALLOC_TRIM_THRESHOLD_: "1048576",
    MALLOC_ARENA_MAX: "1",
    GLIBC_TUNABLES: "glibc.malloc.hugetlb=1",
  });
});

test.each([
  ["the system has another allocator", { ...HERE, platform: "darwin" }],
  ["an operator has set it, or it is begun anew", { ...HERE, env: { MALLOC_TRIM_THRESHOLD_: "1" } }],
  ["a parent would lose its channel", { ...HERE, send: () => true }],
])("the process is not restarted when %s", (_, facts) => {
  expect(restartOptions([], facts)).toBeNull();
});

test("the process is restarted once, with its arguments", () => {
  const module = path.resolve(import.meta.dirname, "../../src/cli/trim-memory.mjs");
  const script = `
    import { trimMemory } from ${JSON.stringify(module)};
    process.stdout.write("begun ");
    trimMemory(process);
    process.stdout.write([process.env.MALLOC_TRIM_THRESHOLD_, ...process.execArgv.slice(0, 2), ...process.argv.slice(1)].join(" "));
  `;
  const env = { PATH: process.env["PATH"] ?? "" };
  const args = ["--input-type=module", "--eval", script, "one", "two words"];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
  expect(stderr).toBe("");
  expect(stdout).toBe("begun begun 1048576 --initial-heap-size=48 --max-semi-space-size=2 one two words");
});
