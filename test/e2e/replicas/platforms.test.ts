import { afterAll, beforeAll, expect, test } from "vitest";
import { type Postgres, startPostgres } from "../../support/database/postgres.ts";
import { startTcpProxy } from "../../support/database/tcp-proxy.ts";
import { hold, text } from "../../support/model/model-script.ts";
import { type Bot, createBot, until } from "../../support/program/bot.ts";
import { answers, discordScene, type Scene, type SceneMessage, slackScene } from "../../support/talk/scene.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

const replicated = async () => ({ DECKHAND_ENGINE: "dbos", DATABASE_URL: await postgres.createDatabase() });

/** Another process on the scene's database and home. */
const beside = ({ bot }: Scene): Promise<Bot> => createBot({ env: bot.env, home: bot.home });

const isAnswered = (all: readonly SceneMessage[]) => answers(all).includes("Hello.");

const healthOf = async (bot: Bot) => (await bot.probe("readyz")).text;

test("Discord's gateway has one of the processes; the next one goes on with its session, and answers what came in between", async () => {
  await using scene = await discordScene({ env: await replicated() });
  await using other = await beside(scene);
  const { gateway } = scene.discord;
  scene.model.script(() => text("Hello."));
  await scene.bot.start();
  await other.start();
  expect(gateway.openSockets).toBe(1);
  expect(await healthOf(other)).toContain("posts only");
  const before = scene.mention("hello");
  await before.until(isAnswered);

  await scene.bot.kill("SIGKILL");
  const between = scene.mention("hello");
  await between.until(isAnswered);
  expect(gateway.counts).toMatchObject({ identify: 1, resume: 1 });

  await scene.bot.start();
  expect(await other.kill("SIGTERM")).toBe(0);
  const after = scene.mention("hello");
  await after.until(isAnswered);
  expect(gateway.counts).toMatchObject({ identify: 1, resume: 2 });
  for (const thread of [before, between, after]) {
    expect(answers(thread.messages())).toEqual(["Hello."]);
    expect(JSON.stringify(thread.messages())).not.toContain("away");
  }
  expect(scene.bot.output() + other.output()).not.toMatch(/"level":(50|60)/u);
});

test("what a process has left that died with a run's end not shown, another one shows", async () => {
  await using scene = await slackScene({ env: await replicated() });
  await using other = await beside(scene);
  await scene.bot.start();
  const gate = hold();
  scene.model.script(() => [gate.part, text("Hello.")]);
  const thread = scene.mention("hello");
  const isStoppable = (all: readonly SceneMessage[]) =>
    all.some(({ buttons }) => buttons.some((id) => id.startsWith("stop:")));
  await thread.until(isStoppable);
  await other.start();
  scene.slack.faults.add("chat.update", { kind: "late", until: new Promise(() => {}) });
  await until(() => !scene.slack.faults.isPending("chat.update"), { what: () => "an edit of the live message" });
  gate.release();
  await thread.until(isAnswered);
  await until(async () => (await scene.bot.probe("metrics")).text.includes('deckhand_runs{state="running"} 0'), {
    what: () => "the end of the run",
  });
  await scene.bot.kill("SIGKILL");
  await thread.until((all) => !isStoppable(all));
  expect(answers(thread.messages())).toEqual(["Hello."]);
});

test("a process that no longer reaches Slack leaves its runs to one that does, and takes none until it does again", async () => {
  const slackEnv = await replicated();
  await using scene = await slackScene({ env: slackEnv });
  await using network = await startTcpProxy(scene.slack.apiUrl);
  await using cutOff = await createBot({
    env: { ...scene.bot.env, SLACK_API_URL: network.urlOf(scene.slack.apiUrl) },
    home: scene.bot.home,
  });
  const gate = hold();
  scene.model.script((_request, index) => (index === 0 ? [text("I am"), gate.part] : text("Hello.")));
  await cutOff.start();
  const thread = scene.mention("hello");
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
  const next = scene.mention("hello", 2);
  await next.until(isAnswered);
  expect((await cutOff.probe("readyz")).status).toBe(503);
  network.accept();
  await until(async () => (await cutOff.probe("readyz")).status === 200, { what: () => "Slack to be reached again" });
  expect(scene.bot.output()).not.toMatch(/"level":(50|60)/u);
});
