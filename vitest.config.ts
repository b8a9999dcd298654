import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { memoryDirectory } from "./test/support/run/memory-directory.ts";
import { SlowFirst } from "./test/support/run/slow-first.ts";

/**
 * Slow tests: a seventh of the files that take two thirds of the time, such as whole programs that are killed, crowds,
 * browsers and compilers. `npm test` skips them and `npm run test:all` includes them.
 */
const SLOW = ["test/**/*.slow.test.ts"];
/**
 * Tests with a process of their own, because they measure it or share something that ends with a file. All others share
 * processes and their modules, which have no state that outlives a file: starting a process and loading everything anew
 * took as long as many of the tests.
 */
const ALONE = ["test/simulation/**/*.test.ts"];

/** Settings of a developer's shell or a git hook for PostgreSQL's clients, git and compilers must not affect tests. */
for (const name of Object.keys(process.env)) {
  if (/^(?:PG[A-Z]|GIT_|FORCE_COLOR$)/u.test(name)) delete process.env[name];
}

const memory = process.env["TMPDIR"] === undefined ? memoryDirectory() : null;
/**
 * Gives programs a temporary directory in memory, but keeps compiled code where programs without that setting look for
 * it.
 */
const inMemory = (directory: string) => ({
  TMPDIR: directory,
  NODE_COMPILE_CACHE: path.join(tmpdir(), "node-compile-cache"),
});

export default defineConfig({
  test: {
    pool: "forks",
    ...(memory === null ? {} : { env: inMemory(memory) }),
    // These limits only matter if something is broken, so they allow for slow machines.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // Many files wait for other processes or for time to pass, so two workers keep a processor busy; three took a
    // thirtieth more processor time, since each worker loads everything anew.
    maxWorkers: Math.min(6, 2 * availableParallelism()),
    sequence: { sequencer: SlowFirst },
    // Node loads the files itself, as it does for the program: nothing has to be transformed, and calls between modules
    // are direct. Nothing here mocks modules or needs Vite otherwise.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ["./test/support/database/shared-postgres.ts"],
    reporters: ["default", "./test/support/run/count-reporter.ts"],
    projects: [
      {
        extends: true,
        test: { name: "quick", include: ["test/**/*.test.ts"], exclude: [...SLOW, ...ALONE], isolate: false },
      },
      { extends: true, test: { name: "slow", include: SLOW, exclude: ALONE, isolate: false } },
      { extends: true, test: { name: "slow-alone", include: ALONE } },
    ],
  },
});
