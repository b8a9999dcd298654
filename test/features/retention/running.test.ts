import path from "node:path";
import { expect, test } from "vitest";
import { text } from "../../support/model/model-script.ts";
import { runCli } from "../../support/program/cli.ts";
import { slackOffice } from "../../support/talk/slack-talk.ts";
import { seedManySessions } from "../console/seed.ts";

const DAY_MS = 86_400_000;

test("a program with retention deletes what is old, answers meanwhile, and says what it has done", async () => {
  await using at = await slackOffice({ settings: { retention: { days: 30 } } });
  at.model.script(() => text("Noted."));
  const said = Array.from({ length: 50 }, (_, index) => `line ${index} of the heron`);
  const old = Array.from({ length: 200 }, (_, index) => ({
    id: `ses_old${index}`,
    channelKey: "slack:C0OLD",
    title: "the heron",
    said,
    outcome: "end_turn",
    at: Date.now() - 31 * DAY_MS,
  }));
  await seedManySessions(path.join(at.bot.home, "data/deckhand.db"), old);
  await at.bot.start();
  const isDone = () => at.bot.output().includes('"event":"old_data_deleted"');
  expect(await at.talk({ text: "are you there", channel: at.channel() }).answered(1)).toContain("Noted.");
  expect(isDone()).toBe(false);
  await at.until("what is old to be deleted", isDone);
  expect(at.bot.output()).toMatch(/"days":30,"sessions":200,/u);
});

test.each([
  ["{}", "✓ retention: everything is kept until somebody deletes it"],
  ['{ "retention": { "days": 90 } }', "✓ retention: what nothing has happened in for 90 days is deleted, once a day"],
])("with the settings %s doctor says what is in force", async (settings, line) => {
  await using at = await slackOffice({ settings: JSON.parse(settings) });
  const { out } = await runCli(["doctor"], { cwd: at.bot.home, env: {} });
  expect(out.split("\n")).toContain(line);
});
