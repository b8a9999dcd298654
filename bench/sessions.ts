import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { hold, text, tokens } from "../test/support/model/model-script.ts";
import { answers, slackScene } from "../test/support/talk/scene.ts";
import type { Figure } from "./measure.ts";
import { rssOf, startTimed } from "./program.ts";

const RUNS = 3;
const SESSIONS = 50;
const CHANNELS = 10;
/** Tokens of each answer that are streamed before it pauses in the middle. */
const TOKENS = 500;
const SETTLED_MS = 1_000;

/** Measures fifty threads at once, all in the middle of their answers. */
export async function benchSessions(): Promise<readonly Figure[]> {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-bench-"));
  const config = path.join(directory, "deckhand.config.json");
  writeFileSync(config, JSON.stringify({ maxConcurrentRuns: SESSIONS }));
  try {
    const samples: number[] = [];
    for (let run = 0; run < RUNS; run++) samples.push(await memoryPerSession(config));
    return [{ name: `each of ${SESSIONS} concurrent sessions, over idle`, unit: "MB", aim: 2, samples }];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function memoryPerSession(config: string): Promise<number> {
  await using scene = await slackScene({ env: { DECKHAND_CONFIG: config, LOG_LEVEL: "warn" } });
  await startTimed(scene.bot);
  scene.model.script(() => text("Hello."));
  const first = scene.mention("hello", CHANNELS + 1); // loads the SDK once, for all sessions
  await first.until((messages) => answers(messages).length > 0);
  await pause(SETTLED_MS);
  const idleMb = rssOf(scene.bot.pid());

  const gates = Array.from({ length: SESSIONS }, () => hold());
  scene.model.script((_request, index) => {
    const gate = gates[index - 1];
    if (gate === undefined) throw new Error(`request ${index} is one too many`);
    return [tokens(TOKENS, { everyMs: 2 }), gate.part, text("Done.")];
  });
  for (let session = 0; session < SESSIONS; session++) {
    scene.mention(`question ${session}`, (session % CHANNELS) + 1);
  }
  await Promise.all(gates.map(({ reached }) => reached));
  await pause(SETTLED_MS);
  return (rssOf(scene.bot.pid()) - idleMb) / SESSIONS;
}
