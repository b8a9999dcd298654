import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectWith } from "../support/project.ts";

const root = path.resolve(import.meta.dirname, "../..");
const REPORTER = path.join(root, "test/support/run/count-reporter.ts");
const SHARED = path.join(root, "test/support/run/use-shared.ts");

/** Runs vitest as `npm test` does, in a project with these test files. */
function runTests(files: Record<string, string>, ...options: string[]): { status: number | null; lines: string[] } {
  const project = projectWith(files);
  symlinkSync(path.join(root, "node_modules"), path.join(project, "node_modules"));
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--reporter=default", `--reporter=${REPORTER}`, ...options];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
  return { status, lines: stdout.trimEnd().split("\n") };
}

const head = 'import { expect, test } from "vitest";\n';
const passing = `${head}test("a", () => expect(1).toBe(1));\ntest("b", () => expect(1).toBe(1));\n`;
const failing = `${head}test("c", () => expect(1).toBe(2));\n`;

const UNAWAITED = `test("c", () => new Promise((resolve) => {
  Promise.reject(new Error("x"));
  setImmediate(resolve);
}));
`;

const HOOK = `import { beforeAll } from "vitest";\nbeforeAll(() => Promise.reject(new Error("x")));\n`;

test("a run that passes ends with its count and the right exit code", () => {
  const { status, lines } = runTests({ "a.test.ts": passing });
  expect({ status, lastLine: lines.at(-1) }).toEqual({ status: 0, lastLine: "2 passed, 0 failed" });
});

test("what fails, cannot be loaded, has a hook that fails or an error that no test awaits, counts as failed each", () => {
  const { status, lines } = runTests({
    "passes.test.ts": passing,
    "fails.test.ts": failing,
    "loads-not.test.ts": 'import "./missing.ts";\n',
    "hook.test.ts": `${HOOK}${passing}`,
    "unawaited.test.ts": `${passing}${UNAWAITED}`,
  });
  expect({ status, lastLine: lines.at(-1) }).toEqual({ status: 1, lastLine: "5 passed, 4 failed, 2 skipped" });
});

/** A test file whose shared value counts how often it was opened. */
const sharing = `${head}import { useShared } from ${JSON.stringify(SHARED)};
let count = 0;
const events: string[] = [];
const shared = useShared(async () => ++count, (opened) => events.push(\`\${opened} is closed\`));
test("c", () => expect([shared(), events]).toEqual([1, []]));
test("d", () => expect([shared(), events]).toEqual([2, ["1 is closed"]]));
test("e", () => expect([shared(), events]).toEqual([2, ["1 is closed"]]));
`;

test("a test that passes only when it is tried again is named, and finds what it shares with others opened anew", () => {
  const unsteady = `${head}let tries = 0;\ntest("c", () => expect(++tries).toBe(2));\n`;
  const files = { "a.test.ts": passing, "b.test.ts": unsteady, "c.test.ts": sharing };
  const { status, lines } = runTests(files, "--retry=1");
  expect(lines.slice(-3).toSorted()).toEqual([
    "6 passed, 0 failed",
    "unsteady: b.test.ts > c",
    "unsteady: c.test.ts > d",
  ]);
  expect(status).toBe(0);
});
