import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTcpProxy } from "../support/database/network/tcp-proxy.ts";
import { type Postgres, startPostgres } from "../support/database/postgres.ts";
import { hold, type Reply, text } from "../support/model/model-script.ts";
import { type Bot, createBot, until } from "../support/program/bot.ts";
import { isAside, nothingLearned } from "../support/replicas/script.ts";
import { answers, type SceneMessage, slackScene } from "../support/talk/scene.ts";

/** Two processes on one database and home; one test goes on with those that the one before has left. */

let postgres: Postgres;
let scene: Awaited<ReturnType<typeof slackScene>>;
let other: Bot;
let channel = 0;

beforeAll(async () => {
  postgres = await startPostgres();
  scene = await slackScene({ env: { DECKHAND_ENGINE: "dbos", DATABASE_URL: await postgres.createDatabase() } });
  other = await createBot({ env: scene.bot.env, home: scene.bot.home });
});

/** Each test begins with one process. */
beforeEach(async () => {
  await other.kill("SIGKILL");
  const isReady = () =>
    scene.bot.probe("readyz").then(
      ({ status }) => status === 200,
      () => false,
    );
  if (!(await isReady())) await scene.bot.start();
});

afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
  await postgres.stop();
});

/** In a thread of a channel of its own. */
function mention(words: string) {
  channel += 1;
  return scene.mention(words, channel);
}

/** The model says these first, one a request, and then hello. */
function plays(...first: readonly Reply[]): void {
  const left = [...first];
  scene.model.script((request) => (isAside(request) ? nothingLearned : (left.shift() ?? text("Hello."))));
}

const isAnswered = (all: readonly SceneMessage[]) => answers(all).includes("Hello.");

/** How many runs go on in a process. */
async function runningIn(bot: Bot): Promise<number> {
  const { text: metrics } = await bot.probe("metrics");
  return Number(/deckhand_runs\{state="running"\} (\d+)/u.exec(metrics)?.[1]);
}

test("a run whose process was killed goes on in the next one and answers once", async () => {
  const gate = hold();
  plays([text("I am"), gate.part]);
  const thread = mention("hello");
  await gate.reached;
  await scene.bot.kill("SIGKILL");
  await scene.bot.start();
  await thread.until(isAnswered);
  expect(await scene.bot.kill("SIGTERM")).toBe(0);
  expect(answers(thread.messages())).toEqual(["Hello."]);
  expect(scene.bot.output()).not.toMatch(/"level":(50|60)/u);
});

test("two processes serve one database at the same time, and either goes on with what the other began", async () => {
  await other.start();
  const gates = Array.from({ length: 6 }, hold);
  plays(...gates.map(({ part }) => [part, text("Hello.")]));
  const threads = gates.map(() => mention("hello"));
  await Promise.all(gates.map(({ reached }) => reached));
  const running = await Promise.all([scene.bot, other].map(runningIn));
  expect(running.reduce((sum, each) => sum + each)).toBe(gates.length);
  expect(Math.min(...running)).toBeGreaterThan(0);
  await scene.bot.kill("SIGKILL");
  for (const gate of gates) gate.release();
  await Promise.all(threads.map((thread) => thread.until(isAnswered)));
  for (const thread of threads) expect(answers(thread.messages())).toEqual(["Hello."]);
  expect(other.output()).not.toMatch(/"level":(50|60)/u);
  expect(scene.rateLimited()).toBe(0);
});

test("what a process has left that died with a run's end not shown, another one shows", async () => {
  const gate = hold();
  plays([gate.part, text("Hello.")]);
  const thread = mention("hello");
  const isStoppable = (all: readonly SceneMessage[]) =>
    all.some(({ buttons }) => buttons.some((id) => id.startsWith("stop:")));
  await thread.until(isStoppable);
  await other.start();
  scene.slack.faults.add("chat.update", { kind: "late", until: new Promise(() => {}) });
  await until(() => !scene.slack.faults.isPending("chat.update"), { what: () => "an edit of the live message" });
  gate.release();
  await thread.until(isAnswered);
  await until(async () => (await runningIn(scene.bot)) === 0, { what: () => "the end of the run" });
  await scene.bot.kill("SIGKILL");
  await thread.until((all) => !isStoppable(all));
  expect(answers(thread.messages())).toEqual(["Hello."]);
});

test("a process that no longer reaches Slack leaves its runs to one that does, and takes none until it does again", async () => {
  await scene.bot.kill("SIGTERM");
  await using network = await startTcpProxy(scene.slack.apiUrl);
  await using cutOff = await createBot({
    env: { ...scene.bot.env, SLACK_API_URL: network.urlOf(scene.slack.apiUrl) },
    home: scene.bot.home,
  });
  const gate = hold();
  plays([text("I am"), gate.part]);
  await cutOff.start();
  const thread = mention("hello");
  await gate.reached;
  await scene.bot.start();
  network.refuse();
  network.cut();
  expect(await cutOff.ended()).toBe(1);
  expect(cutOff.output()).toContain("Slack");
  await thread.until(isAnswered);
  expect(answers(thread.messages())).toEqual(["Hello."]);

  cutOff.launch();
  await until(async () => (await cutOff.probe("readyz").catch(() => null))?.status === 503, {
    what: () => "the process to be there",
  });
  const next = mention("hello");
  await next.until(isAnswered);
  expect((await cutOff.probe("readyz")).status).toBe(503);
  network.accept();
  await until(async () => (await cutOff.probe("readyz")).status === 200, { what: () => "Slack to be reached again" });
  expect(scene.bot.output()).not.toMatch(/"level":(50|60)/u);
});
