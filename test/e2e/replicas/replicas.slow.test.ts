import { Client } from "pg";
import { expect, test } from "vitest";
import { z } from "zod";
import { startTcpProxy, type TcpProxy } from "../../support/database/network/tcp-proxy.ts";
import { type Postgres, startPostgres } from "../../support/database/postgres.ts";
import { hold, type Reply, rateLimited, text } from "../../support/model/model-script.ts";
import type { ModelServer } from "../../support/model/model-server.ts";
import { type Bot, createBot, runningOf, until } from "../../support/program/bot.ts";
import { isAside, nothingLearned } from "../../support/replicas/script.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { type BothPlatforms, bothPlatforms } from "../../support/talk/both-platforms.ts";
import { answers, type SceneMessage, type SceneThread } from "../../support/talk/scene.ts";

/** Two processes on one database and home. Each test uses those that the test before has left running, if it can. */

let postgres: Postgres;
let databaseUrl: string;
let on: BothPlatforms;
let one: Bot;
/** Reaches Slack through a proxy of its own. */
let other: Bot;
let network: TcpProxy;

useShared(
  async () => {
    postgres = await startPostgres();
    databaseUrl = await postgres.createDatabase();
    on = await bothPlatforms({ env: { DECKHAND_ENGINE: "dbos", DATABASE_URL: databaseUrl } });
    one = on.bot;
    const { apiUrl } = on.slack.slack;
    network = await startTcpProxy(apiUrl);
    other = await createBot({ env: { ...one.env, SLACK_API_URL: network.urlOf(apiUrl) }, home: one.home });
  },
  async () => {
    await other[Symbol.asyncDispose]();
    await on[Symbol.asyncDispose]();
    await network[Symbol.asyncDispose]();
    await postgres.stop();
  },
);

/** Makes sure that these processes run and no others. */
async function atWork(...bots: readonly Bot[]): Promise<void> {
  for (const bot of [one, other]) {
    if (bots.includes(bot) && !bot.isAlive()) await bot.start();
    if (!bots.includes(bot)) await bot.kill("SIGKILL");
  }
}

/** Mentions the bot on Slack, in a channel of its own. */
function mention(words: string): SceneThread {
  return on.slackScene().mention(words);
}

/** Makes the model give these replies first, one for each request, and then say hello. */
function plays(...first: readonly Reply[]): void {
  const left = [...first];
  on.model.script((request) => (isAside(request) ? nothingLearned : (left.shift() ?? text("Hello."))));
}

const isAnswered = (all: readonly SceneMessage[]) => answers(all).includes("Hello.");
const FAILURE = /"level":(50|60)/u;

/** The output of a process from now on. */
function output(bot: Bot): () => string {
  const known = bot.output().length;
  return () => bot.output().slice(known);
}

/** Enough threads that both processes take some of them. */
const MAX_THREADS = 16;

/** Number of runs at work in a process. */
async function runningIn(bot: Bot): Promise<number> {
  return runningOf((await bot.probe("healthz")).text);
}

test("two processes serve one database concurrently, and either continues sessions of the other", async () => {
  await atWork(one, other);
  const gates = Array.from({ length: MAX_THREADS }, hold);
  plays(...gates.map(({ part }) => [part, text("Hello.")]));
  const threads: SceneThread[] = [];
  let running: readonly number[] = [0, 0];
  // On a busy machine one process may take all of the first six threads before the other looks for work.
  while (threads.length < MAX_THREADS && (threads.length < 6 || Math.min(...running) === 0)) {
    threads.push(mention("hello"));
    if (threads.length < 6) continue;
    await Promise.all(gates.slice(0, threads.length).map(({ reached }) => reached));
    running = await Promise.all([one, other].map(runningIn));
  }
  expect(running.reduce((sum, each) => sum + each)).toBe(threads.length);
  expect(Math.min(...running)).toBeGreaterThan(0);
  await one.kill("SIGKILL");
  for (const gate of gates) gate.release();
  await Promise.all(threads.map((thread) => thread.until(isAnswered)));
  for (const thread of threads) expect(answers(thread.messages())).toEqual(["Hello."]);
  expect(other.output()).not.toMatch(FAILURE);
  expect(on.slack.slack.rateLimited()).toBe(0);
});

test("the end of a run that a killed process did not show is shown by another one", async () => {
  await atWork(other);
  const gate = hold();
  plays([gate.part, text("Hello.")]);
  const thread = mention("hello");
  const isStoppable = (all: readonly SceneMessage[]) =>
    all.some(({ buttons }) => buttons.some((id) => id.startsWith("stop:")));
  await thread.until(isStoppable);
  await one.start();
  const { faults } = on.slack.slack;
  faults.add("chat.update", { kind: "late", until: new Promise(() => {}) });
  await until(() => !faults.isPending("chat.update"), { what: () => "an edit of the live message" });
  gate.release();
  await thread.until(isAnswered);
  await until(async () => (await runningIn(other)) === 0, { what: () => "the end of the run" });
  await other.kill("SIGKILL");
  await thread.until((all) => !isStoppable(all));
  expect(answers(thread.messages())).toEqual(["Hello."]);
});

const rowsSchema = z.array(z.object({ scheduledFor: z.date(), status: z.string(), createdAt: z.date() }));

/** `second`: the due time. `at`: when the row was written. Both in seconds. */
interface DueTime {
  readonly second: number;
  readonly status: string;
  readonly at: number;
}

async function occurrences(): Promise<readonly DueTime[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      'SELECT "scheduledFor", status, "createdAt" FROM "JobOccurrence" ORDER BY "scheduledFor"',
    );
    const seconds = (date: Date) => date.getTime() / 1_000;
    return rowsSchema.parse(rows).map(({ scheduledFor, status, createdAt }) => {
      return { second: seconds(scheduledFor), status, at: seconds(createdAt) };
    });
  } finally {
    await client.end();
  }
}

test("each due time runs once across all processes, and none is lost if the process that created the job is killed", async () => {
  await atWork(one);
  on.model.script(() => text("Tick."));
  const said = output(other);
  const scene = on.slackScene();
  scene.mention('/jobs add --name "Tick" --cron "*/3 * * * * *" --prompt "Say tick." --overlap skip');
  const count = async () => (await occurrences()).length;
  await expect.poll(count).toBeGreaterThan(1);
  await other.start();
  const before = await count();
  await expect.poll(count).toBeGreaterThan(before);
  await one.kill("SIGKILL");
  const atDeath = await count();
  await expect.poll(count).toBeGreaterThan(atDeath + 1);
  const all = await occurrences();
  expect(all.map(({ second }) => second)).toEqual(all.map((_each, index) => (all[0]?.second ?? 0) + 3 * index));
  // On an overloaded machine nobody may look for due times before the next one has come; then that one is run.
  expect(all.filter(({ status, second, at }) => status === "missed" && at < second + 3)).toEqual([]);
  expect(said()).not.toMatch(FAILURE);
  const channel = scene.folder.slice("slack-".length);
  await scene.slack.people.command("/jobs", "remove Tick", { channel }).answered;
});

test("one process holds the Discord gateway; after it the next one resumes its session and answers missed messages", async () => {
  await atWork(other);
  const { gateway } = on.discord.discord;
  // The remaining process may still be about to take over the gateway.
  await expect.poll(() => gateway.openSockets).toBe(1);
  const { identify, resume } = gateway.counts;
  const said = [output(one), output(other)];
  const scene = on.scene("Discord");
  plays();
  await one.start();
  expect(gateway.openSockets).toBe(1);
  await expect.poll(async () => (await one.probe("readyz")).text).toContain("posts only");
  const before = scene.mention("hello");
  await before.until(isAnswered);

  await other.kill("SIGKILL");
  const between = scene.mention("hello");
  await between.until(isAnswered);
  expect(gateway.counts).toMatchObject({ identify, resume: resume + 1 });

  await other.start();
  expect(await one.kill("SIGTERM")).toBe(0);
  const after = scene.mention("hello");
  await after.until(isAnswered);
  expect(gateway.counts).toMatchObject({ identify, resume: resume + 2 });
  for (const thread of [before, between, after]) {
    expect(answers(thread.messages())).toEqual(["Hello."]);
    expect(JSON.stringify(thread.messages())).not.toContain("away");
  }
  for (const each of said) expect(each()).not.toMatch(FAILURE);
});

test("a process that cannot reach Slack hands its runs to one that can, and takes none until it reconnects", async () => {
  await atWork(other);
  const said = [output(one), output(other)] as const;
  const gate = hold();
  plays([text("I am"), gate.part]);
  const thread = mention("hello");
  await gate.reached;
  await one.start();
  network.refuse();
  network.cut();
  await until(() => said[1]().includes("slack_disconnected"), { what: () => "the news" });
  const asked = Array.from({ length: MAX_THREADS }, () => mention("hello"));
  expect(await other.ended()).toBe(1);
  expect(said[1]()).toContain("Slack");
  expect(said[1]()).not.toContain("model_responded");
  for (const each of [thread, ...asked]) {
    await each.until(isAnswered);
    expect(answers(each.messages())).toEqual(["Hello."]);
  }

  other.launch();
  const status = async () => (await other.probe("readyz").catch(() => null))?.status;
  await until(async () => (await status()) === 503, { what: () => "the process to be there" });
  const next = mention("hello");
  await next.until(isAnswered);
  expect(await status()).toBe(503);
  network.accept();
  await until(async () => (await status()) === 200, { what: () => "Slack to be reached again" });
  expect(said[0]()).not.toMatch(FAILURE);
});

const TAKES = 4;
const THREADS = 30;
/**
 * Answers of each conversation. Most refusals come early, before a replica has learned the limit; more answers show
 * that the limit is learned.
 */
const ROUNDS = 3;

/** The model answers up to `TAKES` calls at once, each over a second and a half, and refuses the others. */
function limitKey(model: ModelServer): { refusals: number } {
  const seen = { refusals: 0 };
  let going = 0;
  let calls = 0;
  model.script(({ ended }) => {
    if (going >= TAKES) {
      seen.refusals += 1;
      return rateLimited(1);
    }
    going += 1;
    const leave = async () => {
      await ended;
      going -= 1;
    };
    leave().catch(() => undefined); // The promise never rejects.
    calls += 1;
    return text(`Answer ${calls}.`.padEnd(60, "."), { everyMs: 250 });
  });
  return seen;
}

/** Asks in a thread of its own, and again after each answer. */
async function converse(): Promise<readonly string[]> {
  const thread = mention("hello");
  for (let round = 1; ; round += 1) {
    await thread.until((all) => answers(all).length >= round, AbortSignal.timeout(240_000));
    if (round === ROUNDS) return answers(thread.messages());
    thread.reply("and again");
  }
}

test("three replicas share a provider key's concurrency: thirty conversations run with few refusals", async () => {
  await atWork(one, other);
  await using third = await createBot({ env: one.env, home: one.home });
  await third.start();
  const said = [one, other, third].map(output);
  const seen = limitKey(on.model);
  const all = (await Promise.all(Array.from({ length: THREADS }, converse))).flat();
  expect(all).toHaveLength(THREADS * ROUNDS);
  expect(all.filter((answer) => !/^Answer \d+\.+$/u.test(answer))).toEqual([]);
  // Without sharing, each replica learns the limit by itself, which takes 54 refusals.
  expect(seen.refusals).toBeLessThan(30);
  for (const each of said) expect(each()).not.toMatch(/model_retry|"level":(50|60)/u);
});
