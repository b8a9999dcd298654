import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { FILE_LIMITS, PROGRAM_LIMITS } from "../src/tools/wasm/grant.ts";
import { createSandbox, type Sandbox } from "../src/tools/wasm/sandbox.ts";

/** One printed line of the bench. */
export interface SandboxFigure {
  readonly name: string;
  /** Median of several runs. Milliseconds; null when it cannot be measured here. */
  readonly ms: number | null;
}

const CALLS = 200;
const FILES = 5_000;
/** 5,000 of these are 50 MB. */
const FILE_BYTES = 10_000;
const RUNS = 5;

const caller = { sessionId: "bench", channelKey: "bench", signal: new AbortController().signal, queued: () => {} };

export async function benchSandbox(): Promise<readonly SandboxFigure[]> {
  const root = mkdtempSync(path.join(tmpdir(), "deckhand-bench-"));
  const sandbox = createSandbox();
  try {
    return [await freshCall(sandbox, root), ...(await searches(sandbox, root))];
  } finally {
    await sandbox.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function freshCall(sandbox: Sandbox, root: string): Promise<SandboxFigure> {
  const input = JSON.stringify({ code: "1", maxChars: 100, now: 0, seed: 1 });
  const call = () => sandbox.call("js", input, { root, writable: false, ...PROGRAM_LIMITS }, caller);
  await call();
  return { name: "fresh-instance tool call", ms: await median(CALLS, call) };
}

async function searches(sandbox: Sandbox, root: string): Promise<SandboxFigure[]> {
  await generate(root);
  const grep = (pattern: string) => async (): Promise<void> => {
    const request = { op: "grep", pattern, path: "", glob: null, type: null, mode: "count", ignoreCase: false };
    const options = { multiline: false, before: 0, after: 0, offset: 0, limit: 5_000 };
    await sandbox.call(
      "files",
      JSON.stringify({ ...request, ...options }),
      { root, writable: false, ...FILE_LIMITS },
      caller,
    );
  };
  await grep("warm")();
  return [
    { name: "grep 50 MB, a literal in 1 % of the files", ms: await median(RUNS, grep("needle_\\d+")) },
    { name: "grep 50 MB, a pattern without literal", ms: await median(RUNS, grep("[n]e[e]d[l]e[_]\\d+")) },
    { name: "the same in plain Node", ms: await median(RUNS, () => nodeSearch(root, /needle_\d+/g)) },
    { name: "the same with ripgrep", ms: await ripgrep(root) },
  ];
}

/** 5,000 files of lines like source code, in 50 directories; every hundredth has a needle. */
async function generate(root: string): Promise<void> {
  const line = "const value = compute(input, options) ?? fallback; // the quick brown fox\n";
  const body = line.repeat(Math.floor(FILE_BYTES / line.length));
  for (let index = 0; index < FILES; index++) {
    const directory = path.join(root, `dir${index % 50}`);
    if (index < 50) await mkdir(directory);
    writeFileSync(path.join(directory, `file${index}.ts`), index % 100 === 0 ? `${body}needle_${index}\n` : body);
  }
}

async function nodeSearch(root: string, pattern: RegExp): Promise<void> {
  let found = 0;
  for (const directory of readdirSync(root)) {
    for (const file of readdirSync(path.join(root, directory))) {
      found += readFileSync(path.join(root, directory, file), "utf8").match(pattern)?.length ?? 0;
    }
  }
  if (found !== FILES / 100) throw new Error(`plain Node found ${found} needles`);
}

async function ripgrep(root: string): Promise<number | null> {
  const run = () => promisify(execFile)("rg", ["--count", "needle_\\d+", root]);
  const isInstalled = await run().then(
    () => true,
    () => false,
  );
  return isInstalled ? median(RUNS, run) : null;
}

async function median(runs: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}
