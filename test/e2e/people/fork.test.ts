import { expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import type { Script } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { discordOffice } from "../../support/talk/discord-office.ts";
import { conversationOf, slackOffice } from "../../support/talk/slack-talk.ts";

/** Reads a file that is not there, then answers each time. */
const script: Script = (_request, index) =>
  index === 0 ? toolUse("read", { path: "plan.md" }) : text(`Answer ${index}.`);

const settings = { mode: "agi" };

test("on Slack a fork goes on in a thread of its own, and the first one knows nothing of it", async () => {
  await using office = await slackOffice({ settings });
  await office.bot.start();
  office.model.script(script);
  const talk = office.talk({ text: "remember the heron", channel: office.channel() });
  await talk.answered(1);
  await untilIdle(office.bot);
  talk.mention("/fork");
  await office.until("the fork", () => office.ephemeralsTo("U0ANA").some((words) => words.startsWith("✓ ")));
  const roots = office.slack.workspace.messages.filter(
    ({ channel, threadTs, ts }) => channel === talk.channel && (threadTs ?? ts) === ts && ts !== talk.rootTs,
  );
  expect(roots).toHaveLength(1);
  const root = roots[0]?.ts ?? "";
  expect(roots[0]?.text).toContain("Fork of “remember the heron”: ana goes on with build here.");
  expect(talk.answers().at(-1)).toContain(`/thread/${talk.channel}-${root}`);

  office.talk({ text: "what was the bird?", channel: talk.channel, threadTs: root, bare: true });
  await office.until("an answer in the fork", () => office.model.requests.length === 3);
  const asked = conversationOf(office.model.requests.at(-1)?.body);
  expect(asked).toContain("remember the heron");
  expect(asked).toContain("Answer 1.");
  expect(asked).toContain("what was the bird?");
  await untilIdle(office.bot);

  talk.say("and here?");
  await office.until("an answer in the first thread", () => office.model.requests.length === 4);
  expect(conversationOf(office.model.requests.at(-1)?.body)).not.toContain("what was the bird?");
  expect(office.model.violations).toEqual([]);
});

test("on Discord a fork opens a thread, in which nobody need mention the bot", async () => {
  await using office = await discordOffice({ settings });
  await office.bot.start();
  office.model.script(script);
  const channel = office.channel("ops");
  const talk = office.mention(channel, "remember the heron");
  await talk.answered(1);
  await untilIdle(office.bot);
  talk.say("/fork");
  const { world, people } = office.discord;
  const root = () => channel.messages.find(({ author }) => author.id === world.bot.id);
  await office.until("the fork", () => people.shownPrivately(office.ana).some((words) => words.startsWith("✓ ")));
  const fork = office.in(root()?.id ?? "");
  expect(fork.place()?.name).toBe("Fork of “remember the heron”: Ana goes on with build here.");
  // Discord begins a thread with its root, as a message without text.
  expect(fork.answers()[1]).toContain("I know what was said there (4 messages)");
  fork.say("what was the bird?");
  await fork.answered(3);
  expect(conversationOf(office.model.requests.at(-1)?.body)).toContain("remember the heron");
  expect(talk.answers().at(-1)).toContain(`https://discord.com/channels/${office.guild.id}/${root()?.id}`);
  expect(office.model.violations).toEqual([]);
});
