import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { memoryDirectory } from "./test/support/run/memory-directory.ts";
import { SlowFirst } from "./test/support/run/slow-first.ts";

/**
 * Tests that share one process and its modules with others: nothing that they import has a state of its
 * own, and to load it anew for each file took as long as the tests.
 */
const SHARING = [
  "test/{config,core}/**/*.test.ts",
  "test/adapters/{discord,render,slack}/**/*.test.ts",
  "test/tools/native/**/*.test.ts",
];

const memory = process.env["TMPDIR"] === undefined ? memoryDirectory() : null;
/** What programs have compiled stays where those look for it that are told of no such directory. */
const inMemory = (directory: string) => ({
  TMPDIR: directory,
  NODE_COMPILE_CACHE: path.join(tmpdir(), "node-compile-cache"),
});

export default defineConfig({
  test: {
    pool: "forks",
    ...(memory === null ? {} : { env: inMemory(memory) }),
    // Limits cost nothing but where something is broken, and a slow machine takes its time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // Most files wait for other processes or for a time to pass: three workers keep a processor busy.
    maxWorkers: Math.min(6, 3 * availableParallelism()),
    sequence: { sequencer: SlowFirst },
    reporters: ["default", "./test/support/run/count-reporter.ts"],
    projects: [
      { extends: true, test: { name: "sharing", include: SHARING, isolate: false } },
      { extends: true, test: { name: "alone", include: ["test/**/*.test.ts"], exclude: SHARING } },
    ],
  },
});
