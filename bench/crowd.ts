import { crowd } from "../test/support/program/crowd.ts";
import { slackScene } from "../test/support/talk/scene.ts";
import type { Figure } from "./measure.ts";

const RUNS = 3;

/**
 * Measures fifty threads over ten channels, each with an answer of 2,000 tokens: the delay of the last answer under
 * Slack's limits.
 */
export async function benchCrowd(): Promise<readonly Figure[]> {
  const samples: number[] = [];
  for (let run = 0; run < RUNS; run++) samples.push(await latestAnswer());
  return [{ name: "50 threads over 10 channels: last token → answer, the latest", unit: "ms", aim: 8_000, samples }];
}

async function latestAnswer(): Promise<number> {
  await using scene = await slackScene({ env: { LOG_LEVEL: "warn" } });
  await scene.bot.start();
  const all = await crowd(scene);
  return Math.max(...all.map(({ answeredAt, modelEndedAt }) => answeredAt - modelEndedAt));
}
