import { expect, test } from "vitest";
import { startPostgres } from "../support/database/postgres.ts";
import { hold, text } from "../support/model/model-script.ts";
import { answers, slackScene } from "../support/talk/scene.ts";

test("with DBOS Transact, a run whose process was killed goes on in the next one and answers once", async () => {
  const postgres = await startPostgres();
  const env = { DECKHAND_ENGINE: "dbos", DATABASE_URL: await postgres.createDatabase() };
  await using scene = await slackScene({ env });
  const gate = hold();
  scene.model.script((_request, index) => (index === 0 ? [text("I am"), gate.part] : text("Hello.")));
  await scene.bot.start();
  const thread = scene.mention("hello");
  await gate.reached;
  await scene.bot.kill("SIGKILL");
  await scene.bot.start();
  await thread.until((all) => answers(all).includes("Hello."));
  expect(await scene.bot.kill("SIGTERM")).toBe(0);
  expect(answers(thread.messages())).toEqual(["Hello."]);
  expect(scene.bot.output()).not.toMatch(/"level":(50|60)/u);
  await postgres.stop();
});
