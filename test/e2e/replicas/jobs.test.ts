import { Client } from "pg";
import { expect, test } from "vitest";
import { z } from "zod";
import { startPostgres } from "../../support/database/postgres.ts";
import { text } from "../../support/model/model-script.ts";
import { createBot } from "../../support/program/bot.ts";
import { slackScene } from "../../support/talk/scene.ts";

const rowsSchema = z.array(z.object({ scheduledFor: z.date(), status: z.string() }));

async function occurrences(url: string): Promise<readonly { readonly second: number; readonly status: string }[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT "scheduledFor", status FROM "JobOccurrence" ORDER BY "scheduledFor"`);
    return rowsSchema
      .parse(rows)
      .map(({ scheduledFor, status }) => ({ second: scheduledFor.getTime() / 1_000, status }));
  } finally {
    await client.end();
  }
}

test("each due time has one run over all processes, and none is lost where the one that the job was made in is killed", async () => {
  const postgres = await startPostgres();
  const env = { DECKHAND_ENGINE: "dbos", DATABASE_URL: await postgres.createDatabase() };
  await using scene = await slackScene({ env });
  scene.model.script(() => text("Tick."));
  await scene.bot.start();
  await using other = await createBot({ env: scene.bot.env, home: scene.bot.home });
  scene.mention('/jobs add --name "Tick" --cron "*/3 * * * * *" --prompt "Say tick." --overlap skip');
  const count = async () => (await occurrences(env.DATABASE_URL)).length;
  await expect.poll(count).toBeGreaterThan(1);
  await other.start();
  const before = await count();
  await expect.poll(count).toBeGreaterThan(before);
  await scene.bot.kill("SIGKILL");
  const atDeath = await count();
  await expect.poll(count).toBeGreaterThan(atDeath + 1);
  const all = await occurrences(env.DATABASE_URL);
  expect(all.map(({ second }) => second)).toEqual(all.map((_each, index) => (all[0]?.second ?? 0) + 3 * index));
  expect(all.filter(({ status }) => status === "missed")).toEqual([]);
  expect(other.output()).not.toMatch(/"level":(50|60)/u);
  await postgres.stop();
});
