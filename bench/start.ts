import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { startDiscordServer } from "../test/support/discord/server.ts";
import type { Bot } from "../test/support/program/bot.ts";
import { slackScene } from "../test/support/talk/scene.ts";
import type { Figure } from "./measure.ts";
import { rssOf, startTimed } from "./program.ts";

const COMPILE = path.resolve(import.meta.dirname, "../scripts/build/compiled-code.ts");
const RUNS = 7;
const FIRST_RUNS = 3;
/** Time in milliseconds after which the program has finished its work at start-up. */
const SETTLED_MS = 2_000;

/**
 * Measures starts with Slack, one provider, SQLite and an empty home, each of which also creates its database; then
 * starts with Discord beside Slack, and restarts in the same home.
 */
export async function benchStart(): Promise<readonly Figure[]> {
  const first: Start[] = [];
  for (let run = 0; run < FIRST_RUNS; run++) first.push(await firstStart());
  await slackStart(); // leaves its compiled code for the measured starts
  const later: Start[] = [];
  for (let run = 0; run < RUNS; run++) later.push(await slackStart());
  const both: Start[] = [];
  const again: Start[] = [];
  for (let run = 0; run < FIRST_RUNS; run++) {
    const starts = await startsOfBoth();
    both.push(starts.first);
    again.push(starts.again);
  }
  const startMs = (starts: readonly Start[]) => starts.map((start) => start.startMs);
  const idleMb = (starts: readonly Start[]) => starts.map((start) => start.idleMb);
  return [
    { name: "start to ready", unit: "ms", aim: 1_000, samples: startMs(later) },
    { name: "start to ready, the very first time", unit: "ms", aim: 1_000, samples: startMs(first) },
    { name: "idle RSS", unit: "MB", aim: 150, samples: idleMb(later) },
    { name: "idle RSS after the very first start", unit: "MB", aim: 150, samples: idleMb(first) },
    { name: "idle RSS, Slack and Discord", unit: "MB", aim: null, samples: idleMb(again) },
    { name: "idle RSS, Slack and Discord, after the very first start", unit: "MB", aim: null, samples: idleMb(both) },
  ];
}

interface Start {
  readonly startMs: number;
  readonly idleMb: number;
}

async function oneStart(bot: Bot): Promise<Start> {
  const startMs = await startTimed(bot);
  await pause(SETTLED_MS);
  const idleMb = rssOf(bot.pid());
  await bot.kill("SIGTERM");
  return { startMs, idleMb };
}

async function slackStart(env: Record<string, string> = {}): Promise<Start> {
  await using scene = await slackScene({ env });
  return await oneStart(scene.bot);
}

/** A start with the code that an installation compiles, and nothing from an earlier start. */
function firstStart(): Promise<Start> {
  return asInstalled(slackStart);
}

/** The very first start with Slack and Discord, and a restart. */
async function startsOfBoth(): Promise<{ readonly first: Start; readonly again: Start }> {
  await using discord = await startDiscordServer();
  discord.world.guild("Harbour");
  const platform = { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl };
  return await asInstalled(async (cache) => {
    await using scene = await slackScene({ env: { ...cache, ...platform } });
    return { first: await oneStart(scene.bot), again: await oneStart(scene.bot) };
  });
}

async function asInstalled<T>(work: (env: Record<string, string>) => Promise<T>): Promise<T> {
  const cache = mkdtempSync(path.join(tmpdir(), "deckhand-bench-"));
  const env = { NODE_COMPILE_CACHE: cache };
  try {
    await promisify(execFile)(process.execPath, [COMPILE], { env: { ...process.env, ...env } });
    return await work(env);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}
