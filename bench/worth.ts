import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { createSandbox, type Sandbox } from "../src/tools/wasm/sandbox.ts";
import { text } from "../test/support/model/model-script.ts";
import { answers, slackScene } from "../test/support/talk/scene.ts";
import { type Figure, timed } from "./measure.ts";
import { childrenOf, rssOf, startTimed } from "./program.ts";
import { caller, generate, grep, inSandbox, inTemporaryRoot, programCall } from "./sandbox.ts";

/** Optimisations that are left out, in turn with the whole program, by worth/without.mjs. */
const PARTS = ["nothing", "pre-warming", "collection", "trimming", "statements"] as const;
const ROUNDS = 8;
/** Time in milliseconds after which the program has warmed up. */
const WARMED_MS = 3_000;
const ANSWERS = 15;
/** Resolution of the kernel's processor time, in milliseconds. */
const TICK_MS = 10;

interface Life {
  /** Processor milliseconds until the program is warm, and its megabytes then. */
  readonly startCpuMs: number;
  readonly idleMb: number;
  /** From the first mention to the model's request: elapsed and processor milliseconds. */
  readonly firstMs: number;
  readonly firstCpuMs: number;
  /** Processor milliseconds of each later answer, and megabytes at the end. */
  readonly answerCpuMs: number;
  readonly workedMb: number;
}

/**
 * Measures what each mere optimisation is worth. Each is left out in turn with the whole program; a figure is the
 * difference within one round, in per cent of the whole. Positive figures mean that the optimisation pays.
 */
export async function benchWorth(): Promise<readonly Figure[]> {
  const rounds: Record<string, Life>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const lives: Record<string, Life> = {};
    for (const part of PARTS) lives[part] = await lived(part);
    rounds.push(lives);
  }
  const measures = ["startCpuMs", "idleMb", "firstMs", "firstCpuMs", "answerCpuMs", "workedMb"] as const;
  const figures = PARTS.slice(1).flatMap((part) =>
    measures.map((measure) => ({
      name: `without ${part}: ${measure}`,
      unit: "%" as const,
      aim: null,
      samples: rounds.flatMap(({ nothing, [part]: less }) =>
        nothing === undefined || less === undefined ? [] : [more(nothing[measure], less[measure])],
      ),
    })),
  );
  return [...figures, await withoutStatements(), ...(await withoutPrefilter()), ...(await withoutReuse())];
}

function more(whole: number, less: number): number {
  return (100 * (less - whole)) / whole;
}

function without(part: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${new URL("worth/without.mjs", import.meta.url).href}`,
    DECKHAND_BENCH_WITHOUT: part,
  };
}

async function lived(part: string): Promise<Life> {
  await using scene = await slackScene({ env: without(part) });
  const { bot, model } = scene;
  model.script(() => text("Done."));
  await startTimed(bot);
  await pause(WARMED_MS);
  const startCpuMs = processorMs(bot.pid());
  const idleMb = rssOf(bot.pid());
  const mentionedAt = Date.now();
  const thread = scene.mention("how are you?", 1);
  const { arrivedAt } = await model.request(0);
  const firstCpuMs = processorMs(bot.pid()) - startCpuMs;
  await thread.until((messages) => answers(messages).length > 0);
  const before = processorMs(bot.pid());
  for (let at = 0; at < ANSWERS; at++) {
    const next = scene.mention("how are you?", (at % 10) + 1);
    await next.until((messages) => answers(messages).length > 0);
  }
  const answerCpuMs = (processorMs(bot.pid()) - before) / ANSWERS;
  return { startCpuMs, idleMb, firstMs: arrivedAt - mentionedAt, firstCpuMs, answerCpuMs, workedMb: rssOf(bot.pid()) };
}

/** Processor time of a process with all its threads. Source: proc(5), stat. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /su, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Measures the store's work for a message alone, since the noise of whole answers hides it. */
async function withoutStatements(): Promise<Figure> {
  const script = path.join(import.meta.dirname, "worth/store-time.ts");
  const spent = async (part: string) =>
    Number(
      (await promisify(execFile)(process.execPath, [script], { env: { ...process.env, ...without(part) } })).stdout,
    );
  const samples: number[] = [];
  for (let round = 0; round < ROUNDS; round++) samples.push(more(await spent("nothing"), await spent("statements")));
  return { name: "without statements: processor time of the store for a message", unit: "%", aim: null, samples };
}

/** Both patterns find the same lines, but only the first contains a literal that the host can look for first. */
const LITERAL = "needle_\\d+";
const NONE_KNOWN = "n.e.l.(.)\\d+";

/** Processor time of the sandbox's process for a search in 50 MB with matches in 1 % of the files. */
function withoutPrefilter(): Promise<readonly Figure[]> {
  return inSandbox(async (sandbox, root) => {
    await generate(root);
    await grep(sandbox, root, "warm");
    const [child] = childrenOf(process.pid);
    if (child === undefined) throw new Error("the sandbox has started no process");
    const searched = async (pattern: string) => {
      const started = processorMs(child);
      await grep(sandbox, root, pattern);
      return processorMs(child) - started;
    };
    const samples: number[] = [];
    for (let round = 0; round < ROUNDS; round++)
      samples.push(more(await searched(LITERAL), await searched(NONE_KNOWN)));
    return [{ name: "without prefilter: processor time of grep in 50 MB", unit: "%", aim: null, samples }];
  });
}

const SHELL_CALLS = 50;

/** Processor time of the sandbox's process for shell scripts in sequence. */
function withoutReuse(): Promise<readonly Figure[]> {
  return inTemporaryRoot(async (root) => {
    const whole = createSandbox();
    const less = createSandbox({ childFile: path.join(import.meta.dirname, "worth/without-reuse.mjs") });
    const spent = async (sandbox: Sandbox) => {
      const call = () => sandbox.call(...programCall("bash", root, "seq 10 | sort -rn | head -1"), caller);
      await call();
      const started = processorMs(sandbox.pid() ?? 0);
      await timed(SHELL_CALLS, call);
      return processorMs(sandbox.pid() ?? 0) - started;
    };
    const samples: number[] = [];
    try {
      for (let round = 0; round < ROUNDS; round++) samples.push(more(await spent(whole), await spent(less)));
    } finally {
      await Promise.all([whole.close(), less.close()]);
    }
    return [{ name: "without reuse of memories: processor time of bash", unit: "%", aim: null, samples }];
  });
}
