import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createFileTools } from "../src/tools/sandboxed/file-tools.ts";
import { createSandbox, type Sandbox } from "../src/tools/wasm/sandbox.ts";
import { asProcess, type Comparison, compare, type OpenTool, plainNode } from "./comparison.ts";
import type { Figure } from "./measure.ts";
import { rssOf } from "./program.ts";
import { caller, generate, inSandbox, inTemporaryRoot, programCall } from "./sandbox.ts";

const LINE = "the quick brown fox jumps over the lazy dog\n";
/** Number of later calls for slow work. */
const FEW_RUNS = 5;

/** Each works on the 5,000 files of 50 directories, or on one 10 KB file of them. */
function comparisons(root: string): Comparison[] {
  const file = path.join(root, "dir1/file1.ts");
  const edited = path.join(root, "edit-node.txt");
  return [
    {
      name: "read",
      open: () => openTool("read"),
      input: () => ({ path: "dir1/file1.ts" }),
      beside: [plainNode(() => readFileSync(file, "utf8")), asProcess("cat", file)],
    },
    {
      name: "write",
      open: () => openTool("write"),
      input: (call) => ({ path: `new/${call}.txt`, content: LINE.repeat(200) }),
      beside: [
        plainNode(() => writeFileSync(path.join(root, "node.txt"), LINE.repeat(200))),
        asProcess("cp", file, path.join(root, "native.txt")),
      ],
    },
    {
      name: "edit",
      open: () => openTool("edit"),
      reads: ["edit.txt"],
      input: (call) => ({ path: "edit.txt", old_string: `${call} times`, new_string: `${call + 1} times` }),
      beside: [
        plainNode(() => writeFileSync(edited, readFileSync(edited, "utf8").replace("0 times", "0 times"))),
        asProcess("sed", "-i", "s/0 times/0 times/", edited),
      ],
    },
    {
      name: "glob",
      open: () => openTool("glob"),
      input: () => ({ pattern: "**/*7.ts" }),
      runs: FEW_RUNS,
      beside: [plainNode(() => globSync("**/*7.ts", { cwd: root })), asProcess("find", root, "-name", "*7.ts")],
    },
    {
      name: "grep",
      open: () => openTool("grep"),
      input: () => ({ pattern: "needle_\\d+" }),
      runs: FEW_RUNS,
      beside: [plainNode(() => grepInNode(root)), asProcess("grep", "-rlE", "needle_[0-9]+", root)],
    },
    {
      name: "bash",
      open: () => openTool("bash"),
      input: () => ({ command: "seq 10 | sort -rn | head -1" }),
      beside: [
        plainNode(() => Array.from({ length: 10 }, (_, n) => n + 1).sort((a, b) => b - a)),
        asProcess("bash", "-c", "seq 10 | sort -rn | head -1"),
      ],
    },
    {
      name: "js_exec",
      open: () => openTool("js_exec"),
      input: () => ({ code: "[3, 1, 2].sort()" }),
      beside: [plainNode(() => [3, 1, 2].sort((a, b) => a - b)), asProcess(process.execPath, "-e", "[3, 1, 2].sort()")],
    },
  ];
}

/** Measures each tool that works on files, cold and warm. */
export function benchTools(): Promise<readonly Figure[]> {
  return inTemporaryRoot(async (root) => {
    await generate(root);
    for (const file of ["edit.txt", "edit-node.txt"])
      writeFileSync(path.join(root, file), `0 times\n${LINE.repeat(200)}`);
    const figures: Figure[] = [];
    for (const comparison of comparisons(root)) figures.push(...(await compare(comparison, root)));
    return figures;
  });
}

function openTool(name: string): OpenTool {
  const sandbox = createSandbox();
  const tool = createFileTools(sandbox).find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return { tool, close: () => sandbox.close() };
}

function grepInNode(root: string): void {
  for (const file of globSync("**/*.ts", { cwd: root })) /needle_\d+/.test(readFileSync(path.join(root, file), "utf8"));
}

const AT_ONCE = 8;
const POOL_SECONDS = 3;
const SETTLED_MS = 1_500;

/** Measures the sandbox's memory for concurrent calls, and its throughput. */
export function benchPool(): Promise<readonly Figure[]> {
  return inSandbox(async (sandbox, root) => {
    const figures: Figure[] = [];
    for (const guest of ["js", "bash"] as const) {
      const samples = [await memoryOf(guest, sandbox, root)];
      figures.push({ name: `${guest}: each call at once, over one`, unit: "MB", aim: null, samples });
    }
    for (const callers of [1, AT_ONCE]) {
      const samples: number[] = [];
      for (let round = 0; round < 3; round++) samples.push(await throughput(sandbox, root, callers));
      figures.push({ name: `js: calls per second, callers: ${callers}`, unit: "/s", aim: null, samples });
    }
    return figures;
  });
}

/** Megabytes of a worker with its instance while it waits. */
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

async function throughput(sandbox: Sandbox, root: string, callers: number): Promise<number> {
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
  await Promise.all(Array.from({ length: callers }, (_, channel) => work(channel)));
  return calls / POOL_SECONDS;
}
