import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Pooler, startPooler } from "../support/database/network/pooler.ts";
import { startTcpProxy } from "../support/database/network/tcp-proxy.ts";
import { type Postgres, startPostgres } from "../support/database/postgres.ts";
import { hold, text, toolUse } from "../support/model/model-script.ts";
import { type Bot, createBot, until, untilIdle } from "../support/program/bot.ts";
import { runCli } from "../support/program/cli.ts";
import { answers, putFile, slackScene } from "../support/talk/scene.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

interface Behind {
  readonly pooler: Pooler;
  readonly env: { readonly DATABASE_URL: string; readonly DATABASE_DIRECT_URL: string };
}

async function behindPooler(): Promise<Behind> {
  const direct = await postgres.createDatabase();
  const pooler = await startPooler(direct);
  onTestFinished(() => pooler[Symbol.asyncDispose]());
  return { pooler, env: { DATABASE_URL: pooler.urlOf(direct), DATABASE_DIRECT_URL: direct } };
}

type SlackScene = Awaited<ReturnType<typeof slackScene>>;

/**
 * Checks that the scene's program answers, and that a second process stands by or joins and continues once the first is
 * killed. Resolves to the second process.
 */
async function expectServed(scene: SlackScene, pooler: Pooler): Promise<Bot> {
  const { bot } = scene;
  await bot.start();
  putFile(scene, "notes.txt", "remember the milk\n");
  await scene.slack.people.command("/memory", "add the team drinks oat milk").answered;
  scene.model.script(({ toolResults }) =>
    toolResults.length === 0 ? toolUse("read", { path: "notes.txt" }) : text("Milk."),
  );
  const threads = Array.from({ length: 4 }, (_, index) => scene.mention("what do the notes say?", index + 1));
  await Promise.all(threads.map((thread) => thread.until((all) => answers(all).includes("Milk."))));
  await untilIdle(bot);

  const other = await createBot({ env: bot.env, home: bot.home });
  onTestFinished(() => other[Symbol.asyncDispose]());
  other.launch();
  const state = async () => (await other.probe("readyz").catch(() => ({ text: "" }))).text;
  await until(async () => /running|standing by/u.test(await state()), {
    what: () => `the second process: ${other.output()}`,
  });
  await bot.kill("SIGKILL");
  await until(async () => (await state()).includes("running"), { what: () => `the takeover: ${other.output()}` });
  const [first] = threads;
  first?.reply("and today?");
  await first?.until((all) => answers(all).length === 2);
  await untilIdle(other);

  expect(pooler.sessionState).toEqual([]);
  expect(pooler.transactions()).toBeGreaterThan(100);
  for (const each of [bot, other]) expect(each.output()).not.toMatch(/"level":(?:50|60)/u);
  return other;
}

test("behind a connection pooler the dbos engine answers, and sends no statement that a pooler breaks", async () => {
  const { pooler, env } = await behindPooler();
  await using scene = await slackScene({ env: { ...env, DECKHAND_ENGINE: "dbos" } });
  await expectServed(scene, pooler);
});

test("the embedded engine works behind a pooler on a slow network, and a pooler's restart costs a run nothing", async () => {
  const { pooler, env } = await behindPooler();
  await using network = await startTcpProxy(env.DATABASE_URL);
  network.delayMs = 5;
  await using scene = await slackScene({ env: { ...env, DATABASE_URL: network.urlOf(env.DATABASE_URL) } });
  const bot = await expectServed(scene, pooler);

  const gate = hold();
  scene.model.script(({ toolResults }) =>
    toolResults.length === 0 ? [gate.part, toolUse("read", { path: "notes.txt" })] : text("There are none."),
  );
  const thread = scene.mention("what do the notes say?", 5);
  await gate.reached;
  network.cut();
  gate.release();
  await thread.until((all) => answers(all).length > 0);
  await untilIdle(bot);
  expect(answers(thread.messages())).toEqual(["There are none."]);
  expect(bot.output()).not.toContain("uncaught");
  expect(pooler.sessionState).toEqual([]);
});

test("a pooler without a direct address ends the start with one line, which doctor prints as well", async () => {
  const { env } = await behindPooler();
  const line =
    "✗ DATABASE_URL: points to a pooler that gives each transaction another connection, so locks and notifications are lost. Set DATABASE_DIRECT_URL to the URL of the database itself.";
  const alone = { DATABASE_URL: env.DATABASE_URL };
  await using bot = await createBot({ env: alone });
  await expect(bot.start()).rejects.toThrow(line);
  expect((await runCli(["doctor"], { env: alone })).out.split("\n")).toContain(line);
  expect((await runCli(["doctor"], { env })).out).toContain("✓ PostgreSQL answers");
});

test("the command line works behind a pooler", async () => {
  const { pooler, env } = await behindPooler();
  const added = await runCli(["memory", "export"], { env });
  expect(added.failed, added.error).toBe(false);
  expect(pooler.sessionState).toEqual([]);
});
