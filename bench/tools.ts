import { execFile } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { ToolContext } from "../src/core/tool.ts";
import { createFileTools } from "../src/tools/file-tools.ts";
import { createSandbox, type Sandbox } from "../src/tools/wasm/sandbox.ts";
import { toolContext } from "../test/support/tool-context.ts";
import { type Figure, spreadOf, timed } from "./measure.ts";
import { rssOf } from "./program.ts";
import { caller, generate, inSandbox, programCall } from "./sandbox.ts";

const COLD_RUNS = 3;
const WARM_RUNS = 30;
const LINE = "the quick brown fox jumps over the lazy dog\n";
const HEAVY = new Set(["glob", "grep"]);

interface Compared {
  readonly name: string;
  /** A new one for each call. */
  readonly input: (call: number) => object;
  /** The same work without a sandbox; both are given the root. */
  readonly node: (root: string) => unknown;
  readonly native: (root: string) => readonly [program: string, ...args: string[]];
}

/** Each over the 5,000 files of 50 directories, or one of them of 10 KB. */
const TOOLS: readonly Compared[] = [
  {
    name: "read",
    input: () => ({ path: "dir1/file1.ts" }),
    node: (root) => readFileSync(path.join(root, "dir1/file1.ts"), "utf8"),
    native: (root) => ["cat", path.join(root, "dir1/file1.ts")],
  },
  {
    name: "write",
    input: (call) => ({ path: `new/${call}.txt`, content: LINE.repeat(200) }),
    node: (root) => writeFileSync(path.join(root, "node.txt"), LINE.repeat(200)),
    native: (root) => ["cp", path.join(root, "dir1/file1.ts"), path.join(root, "native.txt")],
  },
  {
    name: "edit",
    input: (call) => ({ path: "edit.txt", old_string: `${call} times`, new_string: `${call + 1} times` }),
    node: (root) => {
      const file = path.join(root, "edit-node.txt");
      writeFileSync(file, readFileSync(file, "utf8").replace("0 times", "0 times"));
    },
    native: (root) => ["sed", "-i", "s/0 times/0 times/", path.join(root, "edit-node.txt")],
  },
  {
    name: "glob",
    input: () => ({ pattern: "**/*7.ts" }),
    node: (root) => globSync("**/*7.ts", { cwd: root }),
    native: (root) => ["find", root, "-name", "*7.ts"],
  },
  {
    name: "grep",
    input: () => ({ pattern: "needle_\\d+" }),
    node: (root) => {
      for (const file of globSync("**/*.ts", { cwd: root }))
        /needle_\d+/.test(readFileSync(path.join(root, file), "utf8"));
    },
    native: (root) => ["grep", "-rlE", "needle_[0-9]+", root],
  },
  {
    name: "bash",
    input: () => ({ command: "seq 10 | sort -rn | head -1" }),
    node: () => Array.from({ length: 10 }, (_, n) => n + 1).sort((a, b) => b - a),
    native: () => ["bash", "-c", "seq 10 | sort -rn | head -1"],
  },
  {
    name: "js_exec",
    input: () => ({ code: "[3, 1, 2].sort()" }),
    node: () => [3, 1, 2].sort((a, b) => a - b),
    native: () => [process.execPath, "-e", "[3, 1, 2].sort()"],
  },
];

/** Each tool as the loop calls it: the first call of a process, then later ones, beside the same work without a sandbox. */
export function benchTools(): Promise<readonly Figure[]> {
  return inSandbox(async (sandbox, root) => {
    await generate(root);
    for (const file of ["edit.txt", "edit-node.txt"])
      writeFileSync(path.join(root, file), `0 times\n${LINE.repeat(200)}`);
    const figures: Figure[] = [];
    for (const compared of TOOLS) figures.push(...(await compare(compared, sandbox, root)));
    return figures;
  });
}

async function compare(compared: Compared, sandbox: Sandbox, root: string): Promise<Figure[]> {
  const { name, input, node } = compared;
  const known = new Map<string, string>();
  const context = toolContext({ sandboxRoot: root, knownFiles: known });
  let calls = 0;
  const call = async (over: Sandbox): Promise<void> => {
    for (const { path: file, sha256 } of await run(over, context, name, input(calls++))) {
      if (sha256 !== null) known.set(file, sha256);
    }
  };
  if (name === "edit") {
    for (const { path: file, sha256 } of await run(sandbox, context, "read", { path: "edit.txt" })) {
      if (sha256 !== null) known.set(file, sha256);
    }
  }
  const runs = HEAVY.has(name) ? 5 : WARM_RUNS;
  const cold = await timed(COLD_RUNS, () => coldly(call));
  await call(sandbox);
  const warm = await timed(runs, () => call(sandbox));
  const plain = await timed(runs, async () => node(root));
  const [program, ...args] = compared.native(root);
  const native = await timed(runs, () => promisify(execFile)(program, args));
  const figure = (label: string, samples: readonly number[]): Figure => ({
    name: label,
    unit: "ms",
    aim: null,
    samples,
  });
  const times = (spreadOf(warm)?.median ?? Number.NaN) / (spreadOf(native)?.median ?? Number.NaN);
  return [
    figure(`${name}: first call, with the sandbox's start`, cold),
    figure(`${name}: later calls`, warm),
    figure("  plain Node", plain),
    figure(`  ${path.basename(program)}, as a process`, native),
    { name: "  later calls beside that process", unit: "×", aim: null, samples: [times] },
  ];
}

/** In a sandbox that has not started yet. */
async function coldly(call: (sandbox: Sandbox) => Promise<void>): Promise<void> {
  const sandbox = createSandbox();
  try {
    await call(sandbox);
  } finally {
    await sandbox.close();
  }
}

// oxlint-disable-next-line max-params -- a call
async function run(sandbox: Sandbox, context: ToolContext, name: string, input: object) {
  const tool = createFileTools(sandbox).find((candidate) => candidate.name === name);
  const result = await tool?.execute(input, context, caller.signal);
  if (result === undefined || result.isError) throw new Error(`${name} failed: ${JSON.stringify(result?.content)}`);
  return result.files ?? [];
}

const AT_ONCE = 8;
const POOL_SECONDS = 3;
const SETTLED_MS = 1_500;

/** What the sandbox takes for calls at once, and how many it gets through. */
export function benchPool(): Promise<readonly Figure[]> {
  return inSandbox(async (sandbox, root) => {
    const figures: Figure[] = [];
    for (const guest of ["js", "bash"] as const) {
      const samples = [await memoryOf(guest, sandbox, root)];
      figures.push({ name: `${guest}: each call at once, over one`, unit: "MB", aim: null, samples });
    }
    const samples: number[] = [];
    for (let round = 0; round < 3; round++) samples.push(await throughput(sandbox, root));
    figures.push({ name: `js: calls per second, ${AT_ONCE} callers`, unit: "/s", aim: null, samples });
    return figures;
  });
}

/** Megabytes of a worker with its instance, while it waits. */
async function memoryOf(guest: "js" | "bash", sandbox: Sandbox, root: string): Promise<number> {
  const wait = (channel: number) =>
    sandbox.call(...programCall(guest, root, WAITING[guest]), {
      ...caller,
      sessionId: `${channel}`,
      channelKey: `${channel}`,
    });
  const rssDuring = async (calls: number): Promise<number> => {
    const running = Promise.all(Array.from({ length: calls }, (_, channel) => wait(channel)));
    await pause(SETTLED_MS);
    const rss = rssOf(sandbox.pid() ?? 0);
    await running;
    return rss;
  };
  const one = await rssDuring(1);
  return ((await rssDuring(AT_ONCE + 1)) - one) / AT_ONCE;
}

const WAITING = { js: "await new Promise((resolve) => setTimeout(resolve, 3_000)); 1", bash: "sleep 3" };

async function throughput(sandbox: Sandbox, root: string): Promise<number> {
  const end = performance.now() + POOL_SECONDS * 1_000;
  let calls = 0;
  const work = async (channel: number): Promise<void> => {
    while (performance.now() < end) {
      await sandbox.call(...programCall("js", root, "1"), {
        ...caller,
        sessionId: `${channel}`,
        channelKey: `${channel}`,
      });
      calls++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, channel) => work(channel)));
  return calls / POOL_SECONDS;
}
