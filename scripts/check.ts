import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

/**
 * Runs every gate, then the tests, or only one of these: `check.ts [gates | tests | all]`; `all` includes the slow
 * tests. All gates run, so that one call shows every problem; the tests run only if the gates pass, and their last line
 * is the count.
 */

interface Phase {
  readonly name: string;
  /** A program of node_modules/.bin, or node itself, with arguments. */
  readonly command: readonly [string, ...string[]];
}

const root = path.resolve(import.meta.dirname, "..");
const PAGE = "src/adapters/web/page/tsconfig.json";

/** Each checker checks shared types anew: the default of four takes half as much processor time again as two. */
const CHECKERS = ["--checkers", "2"];

const GATES: readonly Phase[] = [
  { name: "format", command: ["biome", "ci", "--colors=off", "--error-on-warnings", "."] },
  { name: "lint", command: ["oxlint", "--type-aware", "--deny-warnings"] },
  { name: "types", command: ["tsc", ...CHECKERS] },
  ...(existsSync(path.join(root, PAGE)) ? [{ name: "page types", command: ["tsc", "-p", PAGE] } as const] : []),
  { name: "guest types", command: ["tsc", "-p", "wasm/guests"] },
  { name: "example types", command: ["tsc", "-p", "wasm/examples"] },
  { name: "boundaries", command: ["node", "scripts/gates.ts", "boundaries"] },
  { name: "text", command: ["node", "scripts/gates.ts", "text"] },
  { name: "paths", command: ["node", "scripts/gates.ts", "paths"] },
  { name: "patterns", command: ["node", "scripts/gates.ts", "patterns"] },
  { name: "lock file", command: ["node", "scripts/gates.ts", "lock"] },
  { name: "dependencies", command: ["node", "scripts/gates.ts", "dependencies"] },
  { name: "migrations", command: ["node", "scripts/gates.ts", "migrations"] },
  { name: "models", command: ["node", "scripts/gates.ts", "models"] },
  { name: "configuration", command: ["node", "scripts/config-schema.ts", "--check"] },
  { name: "unused code", command: ["knip", "--no-progress"] },
];
/** Under the load of thousands of others, a test may miss its moment: it is retried once and named at the end. */
const TESTS: Phase = { name: "tests", command: ["vitest", "run", "--retry=1", "--project=quick"] };
const ALL_TESTS: Phase = { name: "all tests", command: ["vitest", "run", "--retry=1"] };

/** Two gates are Go programs, which collect garbage less often with this: a fifth of the type check's processor time. */
const ENV = { ...process.env, GOGC: "300" };

/** Some gates use one processor and some use all, so two at a time keep these busy. */
const AT_ONCE = 2;

const [only] = process.argv.slice(2);
if (only !== undefined && only !== "gates" && only !== "tests" && only !== "all") {
  console.error(`There is no ${only} to check: gates, tests, nothing for both, or all for both with the slow tests.`);
  process.exit(2);
}
const failed = only === "tests" ? [] : await failedGates();
if (failed.length > 0) {
  console.error(`\n${only === "gates" ? "" : "Not run: tests. "}Failed: ${failed.join(", ")}.`);
  process.exitCode = 1;
} else if (only !== "gates") {
  const { ok } = await run(only === "all" ? ALL_TESTS : TESTS, "inherit");
  if (!ok) process.exitCode = 1;
}

async function failedGates(): Promise<string[]> {
  const names: string[] = [];
  const waiting = GATES.values();
  const work = async () => {
    // Both workers take gates from the same iterator.
    for (const phase of waiting) {
      const { ok, output, seconds } = await run(phase, "pipe");
      console.log(`${ok ? "✓" : "✗"} ${phase.name} (${seconds} s)`);
      if (ok) continue;
      console.log(output.trimEnd());
      names.push(phase.name);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return names;
}

interface Result {
  readonly ok: boolean;
  readonly output: string;
  readonly seconds: string;
}

function run({ command: [program, ...args] }: Phase, stdio: "pipe" | "inherit"): Promise<Result> {
  const started = performance.now();
  const file = program === "node" ? process.execPath : path.join(root, "node_modules/.bin", program);
  const child = spawn(file, args, { cwd: root, env: ENV, stdio: ["ignore", stdio, stdio] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const result = (ok: boolean) => ({ ok, output, seconds: ((performance.now() - started) / 1000).toFixed(1) });
  return new Promise((resolve) => {
    child.once("error", (error) => {
      output += `${file}: ${error.message}`;
      resolve(result(false));
    });
    child.once("close", (code) => resolve(result(code === 0)));
  });
}
