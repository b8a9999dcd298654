import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { text } from "../../support/model/model-script.ts";
import { until } from "../../support/program/bot.ts";
import { reports, shown } from "../../support/talk/job-scene.ts";
import { slackScene } from "../../support/talk/scene.ts";

/** Three times the limit of concurrent runs, and six jobs for each channel, which takes one report a second. */
const JOBS = 48;
const PLACES = 16;
const CHANNELS = 8;
/**
 * Time between writing the file and the jobs' due time: enough for a slow machine to start and read all jobs. In
 * milliseconds.
 */
const AHEAD_MS = 45_000;

test("48 jobs due in the same second all report, within the limits of runs and of Slack", async () => {
  await using scene = await slackScene({ env: { LOG_LEVEL: "warn" }, settings: { maxConcurrentRuns: PLACES } });
  const atOnce = { now: 0, most: 0 };
  scene.model.script((request) => {
    atOnce.now += 1;
    atOnce.most = Math.max(atOnce.most, atOnce.now);
    request.ended.finally(() => (atOnce.now -= 1)).catch(() => undefined);
    return text("All is quiet.");
  });
  const at = new Date(Date.now() + AHEAD_MS).toISOString();
  const entries = Array.from({ length: JOBS }, (_, index) => ({
    name: `Job ${index}`,
    at,
    prompt: "Look.",
    channel: `slack:${scene.slack.workspace.teamId}/${channelOf(index)}`,
    owner: "slack:U0ANA",
  }));
  writeFileSync(jobsFile(scene.bot.home), JSON.stringify(entries));
  await scene.bot.start();
  const all = () => channels().flatMap((channel) => reports(scene, channel));
  await until(() => all().length >= JOBS, {
    limit: AbortSignal.timeout(570_000),
    what: () => `${JOBS} reports; there are ${all().length}; the bot said:\n${scene.bot.output()}`,
  });
  const names = all().map((message) => /\*\*(Job \d+)\*\*/u.exec(shown(scene, message))?.[1]);
  expect(new Set(names).size).toBe(JOBS);
  expect(names).toHaveLength(JOBS);
  expect(scene.rateLimited()).toBe(0);
  expect(scene.model.requests).toHaveLength(JOBS);
  expect(atOnce.most).toBeLessThanOrEqual(PLACES);
}, 600_000);

function channels(): string[] {
  return Array.from({ length: CHANNELS }, (_, index) => channelOf(index));
}

function channelOf(index: number): string {
  return `C${String((index % CHANNELS) + 1).padStart(4, "0")}`;
}

function jobsFile(home: string): string {
  mkdirSync(path.join(home, "data"), { recursive: true });
  return path.join(home, "data/jobs.json");
}
