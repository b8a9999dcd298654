import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { FILE_LIMITS, PROGRAM_LIMITS } from "../src/tools/wasm/grant.ts";
import { createSandbox, type Sandbox } from "../src/tools/wasm/sandbox.ts";
import type { GrepRequest } from "../wasm/guests/files/request.ts";
import { type Figure, spreadOf, timed } from "./measure.ts";

const CALLS = 200;
const WARM_CALLS = 10;
const FILES = 5_000;
/** 5,000 of these are 50 MB. */
const FILE_BYTES = 10_000;
const RUNS = 7;
/** How much longer than plain Node a search in the sandbox may take. */
const TIMES_NODE = 20;

const caller = { sessionId: "bench", channelKey: "bench", signal: new AbortController().signal, queued: () => {} };

/** A program's call, from the bot to its result: two processes, a worker and a new WebAssembly instance. */
export function benchToolCall(): Promise<readonly Figure[]> {
  return inSandbox(async (sandbox, root) => {
    const input = JSON.stringify({ code: "1", maxChars: 100, now: 0, seed: 1 });
    const call = () => sandbox.call("js", input, { root, writable: false, ...PROGRAM_LIMITS }, caller);
    await timed(WARM_CALLS, call);
    return [{ name: "fresh-instance tool call", unit: "ms", aim: 3, samples: await timed(CALLS, call) }];
  });
}

/** Both patterns find the same lines; of the second, no text is known that every match contains. */
export function benchGrep(): Promise<readonly Figure[]> {
  return inSandbox(async (sandbox, root) => {
    await generate(root);
    const search = (pattern: string) => () => grep(sandbox, root, pattern);
    await search("warm")();
    const node = await timed(RUNS, () => nodeSearch(root, /needle_\d+/g));
    const literal = await timed(RUNS, search("needle_\\d+"));
    const none = await timed(RUNS, search("[n][e]{2}d[l]e[_]\\d+"));
    const nodeMs = spreadOf(node)?.median ?? Number.NaN;
    const times = (samples: readonly number[]) => samples.map((ms) => ms / nodeMs);
    return [
      { name: "grep 50 MB, a literal in 1 % of the files", unit: "ms", aim: null, samples: literal },
      { name: "  beside plain Node", unit: "×", aim: TIMES_NODE, samples: times(literal) },
      { name: "grep 50 MB, a pattern without literal", unit: "ms", aim: null, samples: none },
      { name: "  beside plain Node", unit: "×", aim: TIMES_NODE, samples: times(none) },
      { name: "the same search in plain Node", unit: "ms", aim: null, samples: node },
      { name: "the same search with ripgrep", unit: "ms", aim: null, samples: await ripgrep(root) },
    ];
  });
}

async function inSandbox(
  measure: (sandbox: Sandbox, root: string) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const root = mkdtempSync(path.join(tmpdir(), "deckhand-bench-"));
  const sandbox = createSandbox();
  try {
    return await measure(sandbox, root);
  } finally {
    await sandbox.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** As the tool asks for it: how many lines match, per file. */
async function grep(sandbox: Sandbox, root: string, pattern: string): Promise<void> {
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

/** No samples where ripgrep is not installed. */
async function ripgrep(root: string): Promise<number[]> {
  const run = () => promisify(execFile)("rg", ["--count", "needle_\\d+", root]);
  const isInstalled = await run().then(
    () => true,
    () => false,
  );
  return isInstalled ? timed(RUNS, run) : [];
}
