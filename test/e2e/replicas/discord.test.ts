import { expect, onTestFinished, test } from "vitest";
import { startPostgres } from "../../support/database/postgres.ts";
import { text } from "../../support/model/model-script.ts";
import { type Bot, createBot } from "../../support/program/bot.ts";
import { answers, discordScene, type SceneMessage } from "../../support/talk/scene.ts";

const isAnswered = (all: readonly SceneMessage[]) => answers(all).includes("Hello.");

const healthOf = async (bot: Bot) => (await bot.probe("readyz")).text;

test("Discord's gateway has one of the processes; the next one goes on with its session, and answers what came in between", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const env = { DECKHAND_ENGINE: "dbos", DATABASE_URL: await postgres.createDatabase() };
  await using scene = await discordScene({ env });
  await using other = await createBot({ env: scene.bot.env, home: scene.bot.home });
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
