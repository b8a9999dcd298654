import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/support/slow-first.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Each file may start the whole program beside it.
    maxWorkers: Math.min(4, Math.max(2, availableParallelism())),
    sequence: { sequencer: SlowFirst },
    reporters: ["default", "./test/support/count-reporter.ts"],
  },
});
