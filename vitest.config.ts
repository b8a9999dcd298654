import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/support/slow-first.ts";

/**
 * Tests that share one process and its modules with others: nothing that they import has a state of its
 * own, and to load it anew for each file took as long as the tests.
 */
const SHARING = [
  "test/{config,core}/**/*.test.ts",
  "test/adapters/{discord,render,slack}/**/*.test.ts",
  "test/tools/native/**/*.test.ts",
];

export default defineConfig({
  test: {
    pool: "forks",
    // Limits cost nothing but where something is broken, and a slow machine takes its time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // Many files wait for another process: two workers more than processors keep these busy.
    maxWorkers: Math.min(6, availableParallelism() + 2),
    sequence: { sequencer: SlowFirst },
    reporters: ["default", "./test/support/count-reporter.ts"],
    projects: [
      { extends: true, test: { name: "sharing", include: SHARING, isolate: false } },
      { extends: true, test: { name: "alone", include: ["test/**/*.test.ts"], exclude: SHARING } },
    ],
  },
});
