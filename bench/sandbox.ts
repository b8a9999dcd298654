import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { FILE_LIMITS, PROGRAM_LIMITS, SHELL_LIMITS } from "../src/tools/wasm/capability.ts";
import { createSandbox, type Sandbox } from "../src/tools/wasm/sandbox.ts";
import type { GrepRequest } from "../wasm/guests/files/request.ts";
import { type Figure, timed } from "./measure.ts";

const CALLS = 200;
const WARM_CALLS = 10;
const FILES = 5_000;
/** 5,000 files of this size are 50 MB. */
const FILE_BYTES = 10_000;
const RUNS = 7;
/** How many times longer than plain Node a search in the sandbox may take. */
const TIMES_NODE = 20;

export const caller = {
  sessionId: "bench",
  channelKey: "bench",
  signal: new AbortController().signal,
  queued: () => {},
};

/**
 * Measures a program's call from the bot to its result, through two processes, a worker and a new WebAssembly instance.
 */
export function benchToolCall(): Promise<readonly Figure[]> {
  return inSandbox(async (sandbox, root) => {
    const call = () => sandbox.call(...programCall("js", root, "1"), caller);
    await timed(WARM_CALLS, call);
    return [{ name: "fresh-instance tool call", unit: "ms", aim: 3, samples: await timed(CALLS, call) }];
  });
}

/** Builds the sandbox request for a program in one of the two languages. */
export function programCall(guest: "js" | "bash", root: string, source: string) {
  const kept = { maxChars: 100, overflow: "out", seed: 1 };
  const body =
    guest === "js"
      ? { ...kept, code: source, file: null }
      : { ...kept, command: source, cwd: "", env: {}, timeoutMs: 60_000 };
  const limits = guest === "js" ? PROGRAM_LIMITS : SHELL_LIMITS;
  return [guest, JSON.stringify(body), { root, writable: true, ...limits }] as const;
}

/** Measures a script's call in a new process, then in one that is warm. */
export function benchPrograms(): Promise<readonly Figure[]> {
  return inSandbox(async (sandbox, root) => {
    const command = "seq 10 | sort -rn | head -1 > out.txt";
    const module = "import fs from 'node:fs'; await fs.promises.readFile('out.txt', 'utf8')";
    const callBash = () => sandbox.call(...programCall("bash", root, command), caller);
    const callJs = () => sandbox.call(...programCall("js", root, module), caller);
    const native = () => promisify(execFile)("bash", ["-c", command], { cwd: root });
    return [
      { name: "bash: first call, with the sandbox's start", unit: "ms", aim: null, samples: await timed(1, callBash) },
      {
        name: "bash: a pipe of three commands into a file",
        unit: "ms",
        aim: 60,
        samples: await timed(CALLS, callBash),
      },
      { name: "  the system's bash", unit: "ms", aim: null, samples: await timed(CALLS, native) },
      { name: "js_exec: a module that reads a file", unit: "ms", aim: 15, samples: await timed(CALLS, callJs) },
    ];
  });
}

/** Patterns that find the same lines; each reveals less than the previous one about what a match contains. */
const PATTERNS = [
  { name: "a literal in 1 % of the files", source: "needle_\\d+" },
  { name: "no literal, classes in 1 % of the files", source: "[m-o][d-f]{2}[a-e]\\w+?[^a-z]\\d+" },
  { name: "nothing known beforehand", source: "n.e.l.(.)\\d+" },
] as const;

export function benchGrep(): Promise<readonly Figure[]> {
  return inSandbox(async (sandbox, root) => {
    await generate(root);
    await grep(sandbox, root, "warm");
    const figures: Figure[] = [];
    for (const { name, source } of PATTERNS) {
      const pairs: { ours: number; node: number; times: number }[] = [];
      for (let run = 0; run < RUNS; run++) pairs.push(await besideNode(sandbox, root, source));
      figures.push(
        { name: `grep 50 MB: ${name}`, unit: "ms", aim: null, samples: pairs.map(({ ours }) => ours) },
        { name: "  beside plain Node", unit: "×", aim: TIMES_NODE, samples: pairs.map(({ times }) => times) },
        { name: "  plain Node", unit: "ms", aim: null, samples: pairs.map(({ node }) => node) },
      );
      const ripgrep = await timedRipgrep(root, source);
      if (ripgrep !== null) figures.push({ name: "  ripgrep", unit: "ms", aim: null, samples: ripgrep });
    }
    const hasRipgrep = figures.some(({ name }) => name === "  ripgrep");
    if (!hasRipgrep) figures.push({ name: "ripgrep (rg is not installed)", unit: "ms", aim: null, samples: [] });
    return figures;
  });
}

/** Alternates with plain Node, so that other load on the machine affects both. */
async function besideNode(sandbox: Sandbox, root: string, source: string) {
  const [node = Number.NaN] = await timed(1, () => nodeSearch(root, new RegExp(source, "g")));
  const [ours = Number.NaN] = await timed(1, () => grep(sandbox, root, source));
  return { ours, node, times: ours / node };
}

export function inSandbox(
  measure: (sandbox: Sandbox, root: string) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  return inTemporaryRoot(async (root) => {
    const sandbox = createSandbox();
    try {
      return await measure(sandbox, root);
    } finally {
      await sandbox.close();
    }
  });
}

export async function inTemporaryRoot(
  measure: (root: string) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const root = mkdtempSync(path.join(tmpdir(), "deckhand-bench-"));
  try {
    return await measure(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Searches as the tool does: the number of matching lines per file. */
export async function grep(sandbox: Sandbox, root: string, pattern: string): Promise<void> {
  const request: GrepRequest = {
    op: "grep",
    pattern,
    path: "",
    glob: null,
    type: null,
    mode: "count",
    ignoreCase: false,
    multiline: false,
    before: 0,
    after: 0,
    offset: 0,
    limit: 5_000,
  };
  await sandbox.call("files", JSON.stringify(request), { root, writable: false, ...FILE_LIMITS }, caller);
}

/** Generates 5,000 files of lines like source code, in 50 directories; every hundredth contains a needle. */
export async function generate(root: string): Promise<void> {
  const line = "const value = compute(input, options) ?? fallback; // the quick brown fox\n";
  const body = line.repeat(Math.floor(FILE_BYTES / line.length));
  for (let index = 0; index < FILES; index++) {
    const directory = path.join(root, `dir${index % 50}`);
    if (index < 50) await mkdir(directory);
    writeFileSync(path.join(directory, `file${index}.ts`), index % 100 === 0 ? `${body}needle_${index}\n` : body);
  }
}

function nodeSearch(root: string, pattern: RegExp): Promise<void> {
  let found = 0;
  for (const directory of readdirSync(root)) {
    for (const file of readdirSync(path.join(root, directory))) {
      found += readFileSync(path.join(root, directory, file), "utf8").match(pattern)?.length ?? 0;
    }
  }
  if (found !== FILES / 100) throw new Error(`plain Node found ${found} needles`);
  return Promise.resolve();
}

/** Null if ripgrep is not installed. */
async function timedRipgrep(root: string, pattern: string): Promise<number[] | null> {
  const run = () => promisify(execFile)("rg", ["--count", pattern, root]);
  const isInstalled = await run().then(
    () => true,
    () => false,
  );
  return isInstalled ? timed(RUNS, run) : null;
}
