import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { slackScene } from "../test/support/scene.ts";
import type { Figure } from "./measure.ts";
import { rssOf, startTimed } from "./program.ts";

const RUNS = 7;
const FIRST_RUNS = 3;
/** After this the program has done what it does at start-up. Milliseconds. */
const SETTLED_MS = 2_000;

/** Starts with Slack, one provider, SQLite and an empty home, so each of them also makes its database. */
export async function benchStart(): Promise<readonly Figure[]> {
  const first: Start[] = [];
  for (let run = 0; run < FIRST_RUNS; run++) first.push(await firstStart());
  await oneStart(); // leaves its compiled code for those that are measured
  const later: Start[] = [];
  for (let run = 0; run < RUNS; run++) later.push(await oneStart());
  const startMs = (starts: readonly Start[]) => starts.map((start) => start.startMs);
  const idleMb = (starts: readonly Start[]) => starts.map((start) => start.idleMb);
  return [
    { name: "start to ready", unit: "ms", aim: 1_000, samples: startMs(later) },
    { name: "start to ready, the very first time", unit: "ms", aim: 1_000, samples: startMs(first) },
    { name: "idle RSS", unit: "MB", aim: 150, samples: idleMb(later) },
    { name: "idle RSS after the very first start", unit: "MB", aim: 150, samples: idleMb(first) },
  ];
}

interface Start {
  readonly startMs: number;
  readonly idleMb: number;
}

async function oneStart(env: Record<string, string> = {}): Promise<Start> {
  await using scene = await slackScene({ env });
  const startMs = await startTimed(scene.bot);
  await pause(SETTLED_MS);
  const idleMb = rssOf(scene.bot.pid());
  await scene.bot.kill("SIGTERM");
  return { startMs, idleMb };
}

/** With no code compiled by an earlier start. */
async function firstStart(): Promise<Start> {
  const cache = mkdtempSync(path.join(tmpdir(), "deckhand-bench-"));
  try {
    return await oneStart({ NODE_COMPILE_CACHE: cache });
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}
