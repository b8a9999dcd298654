import { expect, test } from "vitest";
import { required } from "../contracts/platform-steps.ts";
import { TYPE } from "../support/discord/world.ts";
import { text } from "../support/model/model-script.ts";
import { untilIdle } from "../support/program/bot.ts";
import { discordOffice } from "../support/talk/discord-office.ts";
import { useStage } from "../support/talk/shared-office.ts";
import { conversationOf, overheard } from "../support/talk/slack-talk.ts";

/** The servers that it is in at its first start are served. */
const stage = useStage(() => discordOffice({ settings: { mode: "agi" } }));

test("a mention that is added by editing is answered once, also when it is edited again after a restart", async () => {
  const at = stage();
  at.model.script((_request, index) => text(`Answer ${index}.`));
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
    const at = stage();
    at.model.script((_request, index) => text(`Answer ${index}.`));
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
  const at = stage();
  at.model.script((_request, index) => text(`Answer ${index}.`));
  const { people, world, faults } = at.discord;
  const channel = at.channel("council");
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

test("a server that the bot is added to later gets one line and no model", async () => {
  const office = stage();
  office.model.script(() => text("Here."));
  const home = office.mention(office.channel("home"), "are you there?");
  await home.answered(1);

  const { world, people } = office.discord;
  const requests = office.model.requests.length;
  const far = people.addBot("Quay");
  const quay = world.guildOf(far);
  if (quay === undefined) throw new Error("there is a server");
  world.join(quay, office.bob);
  office.mention(far, "and here?", { by: office.bob });
  const told = () => [...world.channels.values()].flatMap(({ messages }) => messages.map(({ content }) => content));
  await office.until("the line", () => told().some((each) => each.includes(`discord:${quay.id}`)));
  expect(office.model.requests).toHaveLength(requests);
  expect(
    told().filter((each) => each.includes("I'm Deckhand")),
    "no greeting there",
  ).toHaveLength(0);
});
