import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/support/slow-first.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    sequence: { sequencer: SlowFirst },
    reporters: ["default", "./test/support/count-reporter.ts"],
  },
});
