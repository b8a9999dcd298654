import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/support/slow-first.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Many files wait for another process: one worker more than processors keeps these busy.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    sequence: { sequencer: SlowFirst },
    reporters: ["default", "./test/support/count-reporter.ts"],
  },
});
