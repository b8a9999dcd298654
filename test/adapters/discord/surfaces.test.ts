import { expect, test } from "vitest";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";
import { ABOUT_MESSAGE } from "../../../src/core/inbound/prompts.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { plainMessage } from "../../contracts/platform-steps.ts";
import { openHarbour } from "../../support/discord/harness.ts";

const never = new AbortController().signal;
const ASK = "Ask Deckhand about this message";

async function begun() {
  const harbour = await openHarbour();
  const adapter = harbour.adapter({ reactions: ["🤖", "deckhand"] });
  const inbox = new Inbox();
  await adapter.start(inbox.receive, never);
  return {
    harbour,
    inbox,
    adapter,
    next: () => inbox.next(),
    [Symbol.asyncDispose]: () => harbour[Symbol.asyncDispose](),
  };
}

test("the message command is registered once beside the slash commands", async () => {
  await using harbour = await openHarbour();
  for (let start = 0; start < 2; start += 1) {
    const adapter = harbour.adapter({ commands: CHAT_COMMANDS });
    await adapter.start(() => Promise.resolve({ type: "ignored" }), never);
    await adapter.stop();
  }
  const [path, ...more] = harbour.server.api.registrations;
  expect(more).toEqual([]);
  expect(harbour.server.api.commands.get(path ?? "")).toContainEqual({ type: 3, name: ASK, description: "" });
});

test.each([
  { where: "in a channel", threaded: false },
  { where: "in a thread", threaded: true },
])(
  "the message command on a message $where asks about it in its thread, and the reply links the thread",
  async ({ threaded }) => {
    await using stage = await begun();
    const { server, general, ana, bob } = stage.harbour;
    const root = server.world.message(general, bob, { content: `the deploy <@${ana.id}> fails` });
    const channel = threaded ? server.people.openThread(general, root.id) : general;
    const message = threaded ? server.world.message(channel, bob, { content: "with 503" }) : root;
    const asked = server.people.menuCommand({ channel, user: ana }, ASK, message);
    expect(await stage.next()).toMatchObject({
      kind: "message",
      key: `discord:interaction:${asked.id}`,
      person: { name: "Ana" },
      addressed: "mention",
      text: ABOUT_MESSAGE,
      quoted: [threaded ? "Bob wrote: with 503" : "Bob wrote: the deploy @Ana fails"],
      thread: { channelId: general.id, threadId: root.id },
      messageId: message.id,
    });
    await asked.answered;
    expect(asked.shown.map(({ content }) => content)).toEqual([`✓ I'm answering in <#${root.id}>.`]);
  },
);

test("the thread of a message command is named after the message", async () => {
  await using stage = await begun();
  const { server, general, ana, bob } = stage.harbour;
  const message = server.world.message(general, bob, { content: "the deploy fails" });
  server.people.menuCommand({ channel: general, user: ana }, ASK, message);
  const { thread } = await stage.next();
  await stage.adapter.post(
    thread,
    { lane: "answer", markdown: "It does.", tone: "plain", buttons: [], files: [] },
    "k",
  );
  expect(server.world.channels.get(message.id)?.name).toBe("Bob wrote: the deploy fails");
});

test.each(["🤖", "deckhand"])(
  "the reaction %s asks about the message; other reactions and reactions to the bot's messages do nothing",
  async (emoji) => {
    await using stage = await begun();
    const { server, general, ana, bob } = stage.harbour;
    const own = server.world.message(general, server.world.bot, { content: "done" });
    const message = server.world.message(general, bob, { content: "it fails" });
    const at = { channel: general, user: ana };
    server.people.react(at, own, emoji);
    server.people.react(at, message, "👀");
    server.people.react(at, message, emoji);
    expect(await stage.next()).toMatchObject({
      kind: "message",
      key: `discord:reaction:${general.id}:${message.id}:${emoji}:${ana.id}`,
      person: { name: "Ana" },
      quoted: ["Bob wrote: it fails"],
      thread: { threadId: message.id },
    });
  },
);

test("a message is not read if a person who is not served reacts to it", async () => {
  await using harbour = await openHarbour();
  const inbox = new Inbox();
  await harbour.adapter({ reactions: ["🤖"], serves: () => false }).start(inbox.receive, never);
  const { server, general, ana, bob } = harbour;
  const message = server.world.message(general, bob, { content: "it fails" });
  server.people.react({ channel: general, user: ana }, message, "🤖");
  expect(await inbox.next()).toMatchObject({ messageId: message.id, quoted: [], attachments: [] });
  server.people.menuCommand({ channel: general, user: ana }, ASK, message);
  expect(await inbox.next()).toMatchObject({ messageId: message.id, quoted: [], attachments: [] });
});

test("a reaction is handled later if Discord or the store fails at first", async () => {
  await using stage = await begun();
  const { server, general, ana, bob } = stage.harbour;
  const message = server.world.message(general, bob, { content: "it fails" });
  // discord.js asks twice by itself.
  for (let asked = 0; asked < 2; asked += 1) server.faults.failNext("read", 503);
  const accept = stage.inbox.refuse();
  server.people.react({ channel: general, user: ana }, message, "🤖");
  await stage.inbox.until(() => stage.inbox.events.length > 0);
  accept();
  expect(await stage.next()).toMatchObject({ messageId: message.id, person: { name: "Ana" } });
});

test("the text of a person who is not served does not become a thread's name", async () => {
  await using harbour = await openHarbour();
  const inbox = new Inbox();
  const { server, general, ana, bob } = harbour;
  const adapter = harbour.adapter({ reactions: ["🤖"], serves: ({ id }) => id === `discord:${ana.id}` });
  await adapter.start(inbox.receive, never);
  const message = server.world.message(general, ana, { content: "it fails" });
  server.people.react({ channel: general, user: ana }, message, "🤖");
  const { thread } = await inbox.nextMessage();
  server.people.react({ channel: general, user: bob }, message, "🤖");
  await inbox.next();
  server.people.menuCommand({ channel: general, user: bob }, ASK, message);
  await inbox.next();
  await adapter.post(thread, plainMessage("It does."), "k");
  expect(server.world.channels.get(message.id)?.name).toBe("Ana wrote: it fails");
});

test("being added to a server is an event for a channel where the bot may write", async () => {
  await using stage = await begun();
  const { server } = stage.harbour;
  const before = Date.now();
  const channel = server.people.addBot("Quay");
  const opened = await stage.inbox.next();
  expect(opened).toMatchObject({
    kind: "surface",
    workspace: { name: "Quay" },
    thread: { channelId: channel.id, threadId: null },
    person: { isBot: true },
  });
  expect(opened.at).toBeGreaterThanOrEqual(before);
  await stage.adapter.stop();
  await stage.harbour.adapter().start(stage.inbox.receive, never);
  await stage.inbox.until(() => stage.inbox.events.filter(({ kind }) => kind === "surface").length === 2);
});

test("the author of a direct message has the roles of the servers shared with the bot, for every kind of event", async () => {
  await using stage = await begun();
  const { server, guild, ana } = stage.harbour;
  server.world.join(guild, ana, { roles: [guild.id] });
  const roles = [`discord:role:${guild.id}`];
  const said = server.people.dm(ana, "hello");
  expect(await stage.next()).toMatchObject({ addressed: "dm", person: { name: "Ana", roles } });
  const channel = server.world.dm(ana);
  server.people.command({ channel, user: ana }, "status");
  expect(await stage.next()).toMatchObject({ kind: "command", person: { roles } });
  server.people.react({ channel, user: ana }, said, "🤖");
  expect(await stage.next()).toMatchObject({ kind: "message", addressed: "dm", person: { name: "Ana", roles } });
  const asked = server.requests.filter(({ path }) => path.includes("/members/"));
  expect(asked).toHaveLength(1);
});
