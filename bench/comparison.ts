import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { Tool, ToolContext } from "../src/core/tool.ts";
import { toolContext } from "../test/support/tool-context.ts";
import { type Figure, spreadOf, timed } from "./measure.ts";

const COLD_RUNS = 3;
const WARM_RUNS = 30;

/** A tool, and the same work done in other ways. */
export interface Comparison {
  readonly name: string;
  /** Opens the tool for its first call in a fresh state. */
  readonly open: () => OpenTool | Promise<OpenTool>;
  /** Returns a new input for each call. */
  readonly input: (call: number) => object;
  readonly beside: readonly Beside[];
  /** Number of calls after the first. */
  readonly runs?: number;
  readonly context?: Partial<ToolContext>;
  /** Files of the root that the model has read. */
  readonly reads?: readonly string[];
}

export interface OpenTool {
  readonly tool: Tool;
  readonly close: () => Promise<void>;
}

interface Beside {
  readonly name: string;
  readonly run: () => unknown;
}

export function plainNode(run: () => unknown): Beside {
  return { name: "plain Node", run };
}

export function asProcess(program: string, ...args: readonly string[]): Beside {
  return { name: `${path.basename(program)}, as a process`, run: () => promisify(execFile)(program, args) };
}

/**
 * Measures a tool as the loop calls it: the first call of a process, then later ones, beside the same work done
 * otherwise.
 */
export async function compare(comparison: Comparison, root: string): Promise<Figure[]> {
  const { name, open, beside, runs = WARM_RUNS } = comparison;
  const call = callerOf(comparison, root);
  const cold: number[] = [];
  for (let run = 0; run < COLD_RUNS; run++) cold.push(await firstCall(open, call));
  const { tool, close } = await open();
  try {
    await call(tool);
    const warm = await timed(runs, () => call(tool));
    const figures = [
      figure(`${name}: first call, with all that it starts`, "ms", cold),
      figure(`${name}: later calls`, "ms", warm),
    ];
    let last: readonly number[] = [];
    for (const { name: other, run } of beside) {
      last = await timed(runs, async () => run());
      figures.push(figure(`  ${other}`, "ms", last));
    }
    const times = (spreadOf(warm)?.median ?? Number.NaN) / (spreadOf(last)?.median ?? Number.NaN);
    return [...figures, figure(`  later calls beside ${beside.at(-1)?.name}`, "×", [times])];
  } finally {
    await close();
  }
}

function figure(name: string, unit: Figure["unit"], samples: readonly number[]): Figure {
  return { name, unit, aim: null, samples };
}

/** Calls a tool with the next input, and records what the model then knows of files. */
function callerOf({ name, input, context, reads = [] }: Comparison, root: string): (tool: Tool) => Promise<void> {
  const knownFiles = new Map(reads.map((file) => [file, sha256(readFileSync(path.join(root, file)))]));
  const ctx = toolContext({ sandboxRoot: root, knownFiles, ...context });
  let calls = 0;
  return async (tool) => {
    const result = await tool.execute(input(calls++), ctx, new AbortController().signal);
    if (result.isError) throw new Error(`${name} failed: ${JSON.stringify(result.content)}`);
    for (const file of result.files ?? []) if (file.sha256 !== null) knownFiles.set(file.path, file.sha256);
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Duration of the first call in milliseconds; the tool is closed afterwards. */
async function firstCall(open: Comparison["open"], call: (tool: Tool) => Promise<void>): Promise<number> {
  const started = performance.now();
  const { tool, close } = await open();
  try {
    await call(tool);
    return performance.now() - started;
  } finally {
    await close();
  }
}
