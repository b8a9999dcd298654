import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { memoryDirectory } from "./test/support/run/memory-directory.ts";
import { SlowFirst } from "./test/support/run/slow-first.ts";

/**
 * What takes two thirds of all the time in a seventh of the files: whole programs that are killed, crowds of them,
 * browsers, compilers. `npm test` leaves these out, `npm run test:all` plays them, too.
 */
const SLOW = ["test/**/*.slow.test.ts"];
/**
 * Tests with a process of their own: they measure it, or share what ends with a file. All others share processes and
 * their modules: nothing that they import has a state that outlives a file, and to start a process and load everything
 * anew for each file took as long as many of the tests.
 */
const ALONE = ["test/simulation/**/*.test.ts"];

/** What a developer's shell, or a git hook that runs the tests, tells PostgreSQL's clients, git and compilers is not for those of a test. */
for (const name of Object.keys(process.env)) {
  if (/^(?:PG[A-Z]|GIT_|FORCE_COLOR$)/u.test(name)) delete process.env[name];
}

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
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // Many files wait for other processes or for a time to pass: two workers keep a processor busy. Each loads all anew.
    maxWorkers: Math.min(6, 2 * availableParallelism()),
    sequence: { sequencer: SlowFirst },
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
