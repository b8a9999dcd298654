import { Client } from "pg";
import { expect, test } from "vitest";
import { z } from "zod";
import { startPostgres } from "../../support/database/postgres.ts";
import { startAnthropicServer } from "../../support/model/anthropic-server.ts";
import { text } from "../../support/model/model-script.ts";
import { type Bot, createBot, until } from "../../support/program/bot.ts";
import { startSlackServer } from "../../support/slack/slack-server.ts";

const EVERY_MS = 3_000;
/** Each of the two takes over once. */
const ROUNDS = 2;
const CHANNEL = "C0001";

const rowsSchema = z.array(z.object({ scheduledFor: z.date(), status: z.string() }));

test("of two processes on one PostgreSQL one leads; when it is killed every few due times, each is run once and none is lost", async () => {
  const [model, slack, postgres] = await Promise.all([startAnthropicServer(), startSlackServer(), startPostgres()]);
  // The report names the due time it is for.
  model.script((request) =>
    text(`For ${/due (\w+ \d+ \w+ \d+ [\d:]+)/u.exec(JSON.stringify(request.body))?.[1] ?? "nothing"}.`),
  );
  const env = {
    ANTHROPIC_API_KEY: "test-key",
    DECKHAND_MODEL: "anthropic/claude-sonnet-5-5",
    ANTHROPIC_BASE_URL: model.url,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    DATABASE_URL: await postgres.createDatabase(),
  };
  await using first = await createBot({ env });
  await using second = await createBot({ env, home: first.home });
  const database = new Client({ connectionString: env.DATABASE_URL });
  await database.connect();
  const rows = async () => {
    const found = await database.query('select "scheduledFor", status from "JobOccurrence" order by "scheduledFor"');
    return rowsSchema.parse(found.rows);
  };
  const succeeded = async () => (await rows()).filter(({ status }) => status === "succeeded").length;
  const anotherSuccess = async (bot: Bot) => {
    const before = await succeeded();
    await until(async () => (await succeeded()) > before, {
      what: () => `another report:\n${bot.output()}`,
    });
  };

  await first.start();
  await slack.people.command("/jobs", `add --name Tick --cron "*/3 * * * * *" --timezone UTC --prompt "Look."`)
    .answered;
  let [leader, standby] = [first, second];
  for (let round = 0; round < ROUNDS; round += 1) {
    standby.launch();
    await anotherSuccess(leader);
    await leader.kill("SIGKILL");
    await anotherSuccess(standby);
    [leader, standby] = [standby, leader];
  }
  await leader.kill("SIGTERM");

  const all = await rows();
  const times = all.map(({ scheduledFor }) => scheduledFor.getTime());
  const [begin = 0] = times;
  expect(times).toEqual(times.map((_, index) => begin + index * EVERY_MS));
  const reports = slack.workspace.messages
    .filter(({ byBot, channel, threadTs }) => byBot && channel === CHANNEL && threadTs === null)
    .flatMap(({ ts }) => /For [^.]*\./u.exec(slack.thread(CHANNEL, ts)[0]?.text ?? "")?.[0] ?? []);
  expect(new Set(reports).size).toBe(reports.length);
  expect(reports.length).toBeGreaterThanOrEqual(await succeeded());
  // What the last process left when it was told to stop goes on in the next one.
  expect(reports.length - (await succeeded())).toBeLessThanOrEqual(1);
  await database.end();
  await Promise.all([model.close(), slack[Symbol.asyncDispose](), postgres.stop()]);
}, 180_000);
