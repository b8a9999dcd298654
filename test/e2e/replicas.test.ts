import { afterAll, beforeAll, expect, test } from "vitest";
import { type Postgres, startPostgres } from "../support/database/postgres.ts";
import { hold, text } from "../support/model/model-script.ts";
import { type Bot, createBot } from "../support/program/bot.ts";
import { answers, type Scene, slackScene } from "../support/talk/scene.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

async function replicated(): Promise<Scene> {
  const scene = await slackScene({
    env: { DECKHAND_ENGINE: "dbos", DATABASE_URL: await postgres.createDatabase() },
  });
  await scene.bot.start();
  return scene;
}

/** Another process on the scene's database and home. */
async function beside({ home, env }: Bot): Promise<Bot> {
  const other = await createBot({ env, home });
  await other.start();
  return other;
}

/** How many runs go on in a process. */
async function runningIn(bot: Bot): Promise<number> {
  const { text: metrics } = await bot.probe("metrics");
  return Number(/deckhand_runs\{state="running"\} (\d+)/u.exec(metrics)?.[1]);
}

test("a run whose process was killed goes on in the next one and answers once", async () => {
  await using scene = await replicated();
  const gate = hold();
  scene.model.script((_request, index) => (index === 0 ? [text("I am"), gate.part] : text("Hello.")));
  const thread = scene.mention("hello");
  await gate.reached;
  await scene.bot.kill("SIGKILL");
  await scene.bot.start();
  await thread.until((all) => answers(all).includes("Hello."));
  expect(await scene.bot.kill("SIGTERM")).toBe(0);
  expect(answers(thread.messages())).toEqual(["Hello."]);
  expect(scene.bot.output()).not.toMatch(/"level":(50|60)/u);
});

test("two processes serve one database at the same time, and either goes on with what the other began", async () => {
  await using scene = await replicated();
  await using other = await beside(scene.bot);
  const gates = Array.from({ length: 6 }, hold);
  scene.model.script((_request, index) => {
    const gate = gates[index];
    return gate === undefined ? text("Hello.") : [gate.part, text("Hello.")];
  });
  const threads = gates.map((_gate, index) => scene.mention("hello", index + 1));
  await Promise.all(gates.map(({ reached }) => reached));
  const running = await Promise.all([scene.bot, other].map(runningIn));
  expect(running.reduce((sum, each) => sum + each)).toBe(gates.length);
  expect(Math.min(...running)).toBeGreaterThan(0);
  await scene.bot.kill("SIGKILL");
  for (const gate of gates) gate.release();
  await Promise.all(threads.map((thread) => thread.until((all) => answers(all).includes("Hello."))));
  for (const thread of threads) expect(answers(thread.messages())).toEqual(["Hello."]);
  expect(other.output()).not.toMatch(/"level":(50|60)/u);
  expect(scene.rateLimited()).toBe(0);
});
