import { once } from "node:events";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { z } from "zod";
import { Inbox } from "../../contracts/inbox.ts";
import { plainMessage, required } from "../../contracts/platform-steps.ts";
import { openHarbour } from "../../support/discord/harness.ts";
import { TYPE } from "../../support/discord/world.ts";

const never = new AbortController().signal;
const png = { name: "shot.png", mediaType: "image/png", data: Uint8Array.of(0x89, 0x50, 0x4e, 0x47) };

async function begun() {
  const harbour = await openHarbour();
  const adapter = harbour.adapter();
  const inbox = new Inbox();
  await adapter.start(inbox.receive, never);
  return { harbour, adapter, inbox, [Symbol.asyncDispose]: async () => harbour[Symbol.asyncDispose]() };
}

async function withFile(test: Awaited<ReturnType<typeof begun>>) {
  const { server, general, ana, botMention } = test.harbour;
  server.people.say({ channel: general, user: ana }, `${botMention} see`, { files: [png] });
  return required((await test.inbox.nextMessage()).attachments[0]);
}

test("a file whose URL has expired is fetched from a renewed URL", async () => {
  await using test = await begun();
  const attachment = await withFile(test);
  test.harbour.server.faults.expireUrls();
  expect(await test.adapter.fetchFile(attachment, 100, never)).toEqual(png.data);
});

test("a file that was deleted cannot be read", async () => {
  await using test = await begun();
  const attachment = await withFile(test);
  test.harbour.server.faults.expireUrls();
  Object.assign(required(test.harbour.general.messages[0]), { files: [] });
  await expect(test.adapter.fetchFile(attachment, 100, never)).rejects.toMatchObject({
    code: "attachment_unreadable",
    detail: { name: "shot.png", reason: "it was deleted" },
  });
});

test("a web page in place of a file is refused", async () => {
  await using test = await begun();
  const attachment = await withFile(test);
  test.harbour.server.faults.htmlInsteadOfFiles = true;
  await expect(test.adapter.fetchFile(attachment, 100, never)).rejects.toMatchObject({
    code: "attachment_unreadable",
    detail: { reason: "Discord answered with a web page instead of it" },
  });
});

test("a redirect to a foreign host is not followed", async () => {
  await using test = await begun();
  const attachment = await withFile(test);
  let asked = 0;
  const inside = createServer((_request, response) => {
    asked += 1;
    response.end("inner");
  }).listen(0, "127.0.0.1");
  try {
    await once(inside, "listening");
    const { port } = z.object({ port: z.number() }).parse(inside.address());
    test.harbour.server.faults.filesMovedTo = `http://127.0.0.1:${port}/secret`;
    await expect(test.adapter.fetchFile(attachment, 100, never)).rejects.toMatchObject({ code: "network" });
    expect(asked).toBe(0);
  } finally {
    inside.close();
  }
});

test.each([
  ["said to be", 4, 3],
  ["really", 1, 3],
])("a file that is %s larger than allowed is not read", async (_name, size, maxBytes) => {
  await using test = await begun();
  const attachment = await withFile(test);
  await expect(test.adapter.fetchFile({ ...attachment, size }, maxBytes, never)).rejects.toMatchObject({
    code: "attachment_unreadable",
    detail: { reason: "it is larger than 3 bytes" },
  });
});

test("an aborted fetch rejects with the signal's reason", async () => {
  await using test = await begun();
  const attachment = await withFile(test);
  await expect(test.adapter.fetchFile(attachment, 100, AbortSignal.abort(new Error("stopped")))).rejects.toThrow(
    "stopped",
  );
});

test("a message in a thread that the gateway has not announced is read", async () => {
  await using test = await begun();
  const { server, general, ana, botMention } = test.harbour;
  // The thread was archived before the bot connected, so no list from the gateway contains it.
  const thread = server.world.thread(general, "an old one");
  server.people.say({ channel: thread, user: ana }, `${botMention} remember this?`);
  expect(await test.inbox.nextMessage()).toMatchObject({
    channel: { id: general.id, name: "general", kind: "channel" },
    thread: { channelId: general.id, threadId: thread.id },
    opensThread: false,
    addressed: "mention",
  });
});

test("a forum post is a thread that contains its own root message", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { server, guild, ana, botMention } = harbour;
  const forum = server.world.channel(guild, "help", TYPE.forum);
  const post = server.world.thread(forum, "it is slow");
  server.people.say({ channel: post, user: ana }, `${botMention} it is slow`, { id: post.id });
  const { thread, opensThread, messageId } = await inbox.nextMessage();
  expect({ thread, opensThread }).toMatchObject({
    thread: { channelId: forum.id, threadId: post.id },
    opensThread: true,
  });
  await adapter.post(thread, plainMessage("since when?"), "k");
  await adapter.react(thread, messageId, "working");
  expect((await adapter.fetchThread(thread, 10, never)).map(({ text }) => text)).toEqual([
    "[Post “it is slow”]\nit is slow",
    "since when?",
  ]);
  expect(post.messages[0]?.reactions).toHaveLength(1);
});

test("names of servers, roles and channels are those that Discord shows", async () => {
  await using harbour = await openHarbour();
  const { server, guild, general, ana, botMention } = harbour;
  guild.roles.push({ id: server.world.nextId(), name: "on call" });
  const role = required(guild.roles.at(-1));
  server.world.join(guild, ana, { nick: "Käpt'n 張", roles: [role.id], pending: true });
  const inbox = new Inbox();
  await harbour.adapter().start(inbox.receive, never);
  server.people.say({ channel: general, user: ana }, `${botMention} tell <@&${role.id}> in <#${general.id}>`);
  expect(await inbox.nextMessage()).toMatchObject({
    text: "tell @on call in #general",
    workspace: { id: guild.id, name: "Harbour" },
    channel: { name: "general" },
    person: { name: "Käpt'n 張", isGuest: true, roles: [`discord:role:${role.id}`] },
  });
});

test.each(["before", "after"])("a channel that the bot cannot see, created %s it joined, has no name", async (when) => {
  await using harbour = await openHarbour();
  const { server, guild, general, ana, botMention } = harbour;
  const inbox = new Inbox();
  const start = () => harbour.adapter().start(inbox.receive, never);
  if (when === "after") await start();
  const board = server.world.privateChannel(guild, "board", [ana]);
  if (when === "before") await start();
  server.people.say({ channel: general, user: ana }, `${botMention} look at <#${board.id}>`);
  expect(await inbox.nextMessage()).toMatchObject({ text: `look at #${board.id}` });
  const asked = server.people.command({ channel: server.world.thread(board, "plans"), user: ana }, "status");
  expect(await inbox.next()).toMatchObject({ kind: "command", channel: { id: board.id, name: board.id } });
  await asked.answered;
});

test("a mention of the bot's role counts as a mention of the bot", async () => {
  await using test = await begun();
  const { server, guild, general, ana } = test.harbour;
  const role = required(guild.roles.find(({ tags }) => tags?.bot_id === server.world.bot.id));
  server.people.say({ channel: general, user: ana }, `<@&${role.id}> hello`);
  expect(await test.inbox.nextMessage()).toMatchObject({ text: "hello", addressed: "mention", opensThread: true });
});

test("a thread is read page by page, root first, without system messages", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { server, general, ana, bob, botMention } = harbour;
  server.people.say({ channel: general, user: ana }, `${botMention} hello`);
  const { thread } = await inbox.nextMessage();
  await adapter.post(thread, plainMessage("hi"), "k");
  const channel = required(server.world.channels.get(thread.threadId ?? ""));
  for (let index = 0; index < 230; index += 1) server.world.message(channel, bob, { content: `line ${index}` });
  server.world.message(channel, bob, { type: 6 });
  const read = await adapter.fetchThread(thread, 215, never);
  expect(read).toHaveLength(215);
  expect(read.map(({ text }) => text)).toEqual([
    "hello",
    ...Array.from({ length: 214 }, (_, index) => `line ${index + 16}`),
  ]);
});

test.each([
  ["that nobody has made yet", "none", ["hello"]],
  ["whose root was deleted", "rootless", ["[Thread “a thread”]\none"]],
])("a thread %s is read as far as it exists", async (_name, state, texts) => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { server, general, ana, bob, botMention } = harbour;
  server.people.say({ channel: general, user: ana }, `${botMention} hello`);
  const { thread } = await inbox.nextMessage();
  if (state === "rootless") {
    server.world.message(server.people.openThread(general, thread.threadId ?? ""), bob, { content: "one" });
    general.messages.length = 0;
  }
  expect((await adapter.fetchThread(thread, 20, never)).map(({ text }) => text)).toEqual(texts);
});

test("messages sent while the program was down are found in channels and threads, with their authors", async () => {
  await using harbour = await openHarbour();
  const { server, guild, general, ana, bob, botMention } = harbour;
  server.world.join(guild, bob, { nick: "Bobby", roles: [guild.id] });
  const since = Date.now() - 5 * 60_000;
  server.world.message(general, server.world.bot, { content: "my own" });
  server.world.message(general, ana, { content: `${botMention} are you there?` });
  const thread = server.world.thread(general, "older");
  server.world.message(thread, bob, { content: "and the docs" });
  const hidden = server.world.channel(guild, "talk", TYPE.voice);
  server.world.message(hidden, ana, { content: "hello", type: 7 });
  const adapter = harbour.adapter();
  await adapter.start(() => Promise.resolve({ type: "accepted" }), never);
  const missed = await adapter.missed({ since, known: [], signal: never });
  expect(missed).toMatchObject([
    { kind: "message", text: "are you there?", opensThread: true, person: { name: "Ana" } },
    {
      kind: "message",
      text: "and the docs",
      addressed: "none",
      person: { name: "Bobby", roles: [`discord:role:${guild.id}`] },
    },
  ]);
  expect(await adapter.missed({ since: Date.now() + 5 * 60_000, known: [], signal: never })).toEqual([]);
});

test("an author who has left counts as a guest, and an unreadable membership fails the search for missed messages", async () => {
  await using harbour = await openHarbour();
  const { server, guild, general, ana, bob, botMention } = harbour;
  const since = Date.now() - 5 * 60_000;
  server.world.message(general, bob, { content: `${botMention} deploy` });
  guild.members.delete(bob.id);
  server.world.message(general, ana, { content: `${botMention} and test` });
  guild.members.delete(ana.id);
  server.world.users.delete(ana.id);
  const adapter = harbour.adapter();
  await adapter.start(() => Promise.resolve({ type: "accepted" }), never);
  expect(await adapter.missed({ since, known: [], signal: never })).toMatchObject([
    { text: "deploy", person: { isGuest: true } },
    { text: "and test", person: { isGuest: true } },
  ]);
  for (let asked = 0; asked < 5; asked += 1) server.faults.failNext("other", 403);
  await expect(adapter.missed({ since, known: [], signal: never })).rejects.toThrow();
});

test("the search for missed messages skips channels that the bot may not read", async () => {
  await using harbour = await openHarbour();
  harbour.server.world.message(harbour.general, harbour.ana, { content: "hi" });
  harbour.server.faults.withheld.add("Read Message History");
  const adapter = harbour.adapter();
  await adapter.start(() => Promise.resolve({ type: "accepted" }), never);
  expect(await adapter.missed({ since: Date.now() - 1_000, known: [], signal: never })).toEqual([]);
  expect(harbour.log.lines).toContainEqual(expect.objectContaining({ event: "discord.missed_unreadable" }));
});

test("a soundboard sound is described by its name", async () => {
  await using harbour = await openHarbour();
  const { server, guild, general, ana, botMention } = harbour;
  guild.sounds.push({ sound_id: "77", name: "airhorn" });
  const inbox = new Inbox();
  await harbour.adapter().start(inbox.receive, never);
  server.people.say({ channel: general, user: ana }, `${botMention} who plays <sound:${guild.id}:77>?`);
  expect((await inbox.nextMessage()).text).toBe("who plays [sound: airhorn]?");
});

test("people mentioned in embeds and webhook messages have their server nicknames", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { server, guild, general, ana, bob, botMention } = harbour;
  server.world.join(guild, bob, { nick: "Captain" });
  const embeds = [{ type: "rich", title: "Paged", description: `<@${bob.id}> and <@404>` }];
  const alert = server.world.message(general, server.world.user("Pager", { bot: true }), { extra: { embeds } });
  const thread = server.people.openThread(general, alert.id);
  server.people.say({ channel: general, user: ana }, `${botMention} who?`, { repliesTo: alert });
  expect((await inbox.nextMessage()).quoted).toEqual([
    expect.stringMatching(/^Pager wrote, \S+ \S+ UTC: Paged\n@Captain and @404$/u),
  ]);
  const content = `done by <@${bob.id}>`;
  server.world.message(thread, server.world.user("CI", { bot: true }), { extra: { content, mentions: [] } });
  const ref = { platform: "discord", workspaceId: guild.id, channelId: general.id, threadId: thread.id };
  const texts = (await adapter.fetchThread(ref, 10, never)).map(({ text }) => text);
  expect(texts).toEqual(["Paged\n@Captain and @404", "done by @Captain"]);
});

test("a forward and its comment, which Discord posts as two messages, form one request", async () => {
  await using test = await begun();
  const { server, general, ana, bob, botMention } = test.harbour;
  const alerts = server.world.channel(test.harbour.guild, "alerts");
  const original = server.world.message(alerts, bob, { content: "disk full on db1" });
  server.people.forward({ channel: general, user: ana }, original);
  server.people.say({ channel: general, user: bob }, `${botMention} hello`);
  server.people.say({ channel: general, user: ana }, `${botMention} why?`);
  const quoted: (readonly string[])[] = [];
  for (let taken = 0; taken < 3; taken += 1) quoted.push((await test.inbox.nextMessage()).quoted);
  expect(quoted).toEqual([[expect.stringContaining("disk full on db1")], [], [expect.stringContaining("disk full")]]);
});

test("the referenced message is fetched if Discord omits it", async () => {
  await using test = await begun();
  const { server, general, ana, bob, botMention } = test.harbour;
  const answered = server.world.message(general, bob, { content: "disk full" });
  const reply = (id: string) => ({
    type: 19,
    extra: { message_reference: { type: 0, channel_id: general.id, message_id: id } },
  });
  server.people.say({ channel: general, user: ana }, `${botMention} why?`, reply(answered.id));
  expect(await test.inbox.nextMessage()).toMatchObject({
    quoted: [expect.stringMatching(/^Bob wrote, \S+ \S+ UTC: disk full$/u)],
    repliesTo: answered.id,
  });
  server.people.say({ channel: general, user: ana }, `${botMention} why?`, reply("5"));
  expect((await test.inbox.nextMessage()).quoted).toEqual(["[It answers a message that was deleted.]"]);
  const asked = server.world.message(general, bob, { content: "since noon", ...reply(answered.id) });
  server.people.menuCommand({ channel: general, user: ana }, "Ask Deckhand about this message", asked);
  expect((await test.inbox.nextMessage()).quoted).toEqual(["Bob wrote: since noon", "Bob wrote: disk full"]);
});
