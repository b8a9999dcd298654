import { expect, test } from "vitest";
import { required } from "../../contracts/platform-steps.ts";
import { TYPE } from "../../support/discord/world.ts";
import { text } from "../../support/model/model-script.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { discordOffice } from "../../support/talk/discord-office.ts";
import { conversationOf, overheard } from "../../support/talk/slack-talk.ts";

test("a mention that is added by editing is answered once, also when it is edited again after a restart", async () => {
  await using at = await discordOffice();
  at.model.script((_request, index) => text(`Answer ${index}.`));
  await at.bot.start();
  const { people, world } = at.discord;
  const channel = at.channel("ops");
  const message = people.say({ channel, user: at.ana }, "is it down?");
  const edit = (words: string) => people.edit({ channel }, message, { content: `<@${world.bot.id}> ${words}` });
  edit("is it down?");
  await at.in(message.id).answered(1);
  people.unfurl({ channel }, message, [{ type: "link", title: "X" }]);
  edit("is it really down?");
  await untilIdle(at.bot);
  await at.bot.kill("SIGTERM");
  await at.bot.start();
  edit("is it down again?");
  const other = at.mention(channel, "hello");
  await other.answered(1);
  await untilIdle(at.bot);
  expect(at.model.requests.map(({ body }) => conversationOf(body).includes("is it down"))).toEqual([true, false]);
});

test.each([TYPE.voice, TYPE.stage])(
  "in the chat of a channel of type %i, each request mentions the bot or answers it",
  async (type) => {
    await using at = await discordOffice();
    at.model.script((_request, index) => text(`Answer ${index}.`));
    await at.bot.start();
    const channel = at.discord.world.channel(at.guild, "lounge", type);
    const talk = at.in(channel.id);
    const mention = `<@${at.discord.world.bot.id}>`;
    talk.say(`${mention} hello`);
    await talk.answered(1);
    await untilIdle(at.bot);
    talk.say("anyone for lunch?");
    talk.say("and you?", at.ana, { type: 19, repliesTo: required(talk.byBot().at(-1)) });
    await talk.answered(2);
    await untilIdle(at.bot);
    expect(at.model.requests).toHaveLength(2);
    expect(conversationOf(at.model.requests[1]?.body)).toContain(overheard("Ana", "anyone for lunch?"));
  },
);

test("a fork in a private thread is a private thread with whoever asked for it; without the permission it is refused", async () => {
  await using at = await discordOffice({ settings: { mode: "agi" } });
  at.model.script((_request, index) => text(`Answer ${index}.`));
  await at.bot.start();
  const { people, world, faults } = at.discord;
  const channel = at.channel("ops");
  const secret = world.privateThread(channel, "secret");
  const talk = at.mention(secret, "remember the heron");
  await talk.answered(1);
  await untilIdle(at.bot);
  faults.withheld.add("Create Private Threads");
  talk.say("/fork");
  await at.until("the refusal", () =>
    people.shownPrivately(at.ana).some((words) => words.includes("`Create Private Threads`")),
  );
  faults.withheld.clear();
  talk.say("/fork");
  await at.until("the fork", () => people.shownPrivately(at.ana).some((words) => words.startsWith("✓ ")));
  const threads = [...world.channels.values()].filter(({ parent_id }) => parent_id === channel.id);
  expect(threads.map(({ type }) => type)).toEqual([TYPE.privateThread, TYPE.privateThread]);
  expect(channel.messages).toEqual([]);
  const fork = threads.find(({ id }) => id !== secret.id);
  expect([...(fork?.threadMembers ?? [])]).toEqual([at.ana.id]);
  at.in(fork?.id ?? "").say("what was the bird?");
  await at.until("an answer in the fork", () => at.model.requests.length === 2);
  expect(conversationOf(at.model.requests[1]?.body)).toContain("remember the heron");
});
