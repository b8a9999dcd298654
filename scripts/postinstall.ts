import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

/**
 * Builds what the program needs and the repository does not hold: database clients, sandbox guests, the web
 * page and the program itself as a bundle. All from installed packages, nothing is downloaded. Without the build tools
 * (`npm ci --omit=dev`) what a release brought along is enough.
 */

interface Step {
  readonly name: string;
  /** The package that does the work, a devDependency; null when Node does. */
  readonly tool: string | null;
  readonly args: readonly string[];
  /** A file that proves the step was done before. */
  readonly artefact: string;
}

const root = path.resolve(import.meta.dirname, "..");

const STEPS: readonly Step[] = [
  ...["sqlite", "postgresql"].map((provider) => ({
    name: `database client for ${provider}`,
    tool: "prisma",
    args: ["node_modules/prisma/build/index.js", "generate", `--schema=prisma/${provider}`, "--no-hints"],
    artefact: `prisma/${provider}/generated/client.ts`,
  })),
  {
    name: "sandbox guests",
    tool: "@bytecodealliance/jco",
    args: ["wasm/build.ts"],
    artefact: "build/wasm/files/build.json",
  },
  {
    name: "bindings generator for third parties' components",
    tool: "@bytecodealliance/jco",
    args: ["wasm/build-bindings-generator.ts"],
    artefact: "build/bindings-generator/build.json",
  },
  {
    name: "example tools",
    tool: "@bytecodealliance/jco",
    args: ["wasm/build-examples.ts"],
    artefact: "build/tools/chart/tool.json",
  },
  { name: "web page", tool: "esbuild", args: ["src/adapters/web/build-page.ts"], artefact: "build/web/index.html" },
];

/** They need what the steps before have built. */
const LATER_STEPS: readonly Step[] = [
  {
    name: "bindings of the example tools",
    tool: "@bytecodealliance/jco",
    args: ["scripts/example-bindings.ts"],
    artefact: "build/tool-bindings",
  },
  { name: "program", tool: "esbuild", args: ["scripts/build-program.ts"], artefact: "build/program/main.js" },
];

const LAST_STEPS: readonly Step[] = [
  {
    name: "program's compiled code",
    tool: null,
    args: ["scripts/compile-program.ts"],
    artefact: "build/program/compiled",
  },
];

for (const steps of [STEPS, LATER_STEPS, LAST_STEPS]) {
  const outcomes = await Promise.all(steps.map(perform));
  for (const { line, ok } of outcomes) console.log(`${ok ? "✓" : "✗"} ${line}`);
  if (outcomes.some(({ ok }) => !ok)) {
    process.exitCode = 1;
    break;
  }
}

interface Outcome {
  readonly ok: boolean;
  readonly line: string;
}

async function perform(step: Step): Promise<Outcome> {
  const built = existsSync(path.join(root, step.artefact));
  if (step.tool !== null && !isInstalled(step.tool)) {
    if (built) return { ok: true, line: `${step.name}: as released` };
    const mend = "Run `npm ci` without --omit=dev, or install a release that holds it.";
    return {
      ok: false,
      line: `${step.name}: ${step.artefact} is missing and so is ${step.tool}, which builds it. ${mend}`,
    };
  }
  const started = performance.now();
  const { code, output } = await run(step.args);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (code === 0) return { ok: true, line: `${step.name}: built in ${seconds} s` };
  return { ok: false, line: `${step.name}: ${step.args[0]} failed.\n${output.trimEnd()}` };
}

function isInstalled(name: string): boolean {
  return existsSync(path.join(root, "node_modules", name, "package.json"));
}

/**
 * `prisma generate` wants its schema engine, which it would download and never runs: any executable
 * will do. People who run `prisma migrate` set the variable themselves or leave it alone.
 */
function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const env = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, ...process.env };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, output: error.message }));
    child.once("close", (code) => resolve({ code, output }));
  });
}
