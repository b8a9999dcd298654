import { expect, test } from "vitest";
import { Inbox } from "../../contracts/inbox.ts";
import { openHarbour } from "../../support/discord/harness.ts";
import { TYPE } from "../../support/discord/world.ts";

const never = new AbortController().signal;

async function begun() {
  const harbour = await openHarbour();
  const inbox = new Inbox();
  await harbour.adapter().start(inbox.receive, never);
  return { harbour, inbox, [Symbol.asyncDispose]: () => harbour[Symbol.asyncDispose]() };
}

test.each([true, false])(
  "an edit that adds a mention is delivered with the whole message: %s, under the original key, also if Discord fails at first",
  async (whole) => {
    await using stage = await begun();
    const { server, guild, general, ana, botMention } = stage.harbour;
    server.world.join(guild, ana, { nick: "Captain" });
    const message = server.people.say({ channel: general, user: ana }, "is it down?");
    expect(await stage.inbox.nextMessage()).toMatchObject({ addressed: "none" });
    // discord.js asks twice by itself.
    for (let asked = 0; asked < 2; asked += 1) server.faults.failNext("read", 503);
    server.people.edit({ channel: general }, message, { content: `${botMention} is it down?`, whole });
    await stage.inbox.until(() => stage.inbox.events.length === 2);
    expect(stage.inbox.events.at(-1)).toMatchObject({
      key: `discord:${message.id}`,
      edited: "now",
      addressed: "mention",
      text: "is it down?",
      at: message.editedAt,
      person: { name: "Captain" },
      thread: { channelId: general.id, threadId: message.id },
    });
  },
);

test("the author's roles are looked up for an edit without them; an author who has left counts as a guest", async () => {
  await using stage = await begun();
  const { server, guild, general, bob, botMention } = stage.harbour;
  server.world.join(guild, bob, { roles: [guild.id] });
  const edit = (id: string) => {
    const said = { content: `${botMention} deploy`, edited_timestamp: new Date().toISOString(), mentions: [] };
    const place = { channel_id: general.id, guild_id: guild.id };
    server.gateway.dispatch("MESSAGE_UPDATE", { id, type: 0, author: bob, ...place, ...said });
  };
  edit(server.world.nextId());
  expect((await stage.inbox.nextMessage()).person).toMatchObject({ roles: [`discord:role:${guild.id}`] });
  guild.members.delete(bob.id);
  edit(server.world.nextId());
  expect((await stage.inbox.nextMessage()).person).toMatchObject({ isGuest: true, roles: [] });
});

test("the author's roles are looked up for a message without them", async () => {
  await using stage = await begun();
  const { server, guild, general, bob, botMention } = stage.harbour;
  server.world.join(guild, bob, { roles: [guild.id] });
  const said = { content: `${botMention} deploy`, type: 0, author: bob, mentions: [] };
  const place = { channel_id: general.id, guild_id: guild.id };
  server.gateway.dispatch("MESSAGE_CREATE", { id: server.world.nextId(), ...place, ...said });
  expect((await stage.inbox.nextMessage()).person).toMatchObject({ roles: [`discord:role:${guild.id}`] });
});

test("a deletion is delivered after the preceding edit, also if Discord fails at first", async () => {
  await using stage = await begun();
  const { server, guild, general, bob, botMention } = stage.harbour;
  server.world.join(guild, bob);
  const place = { channel_id: general.id, guild_id: guild.id, id: server.world.nextId() };
  const edit = { content: `${botMention} deploy`, edited_timestamp: new Date().toISOString(), mentions: [] };
  await expect.poll(() => server.requests.some(({ path }) => path === "/applications/@me")).toBe(true);
  for (let asked = 0; asked < 2; asked += 1) server.faults.failNext("other", 503);
  server.gateway.dispatch("MESSAGE_UPDATE", { type: 0, author: bob, ...place, ...edit });
  server.gateway.dispatch("MESSAGE_DELETE", place);
  await stage.inbox.until(() => stage.inbox.deletions.length === 1);
  expect(stage.inbox.events.map(({ key }) => key)).toEqual([`discord:${place.id}`]);
});

test("edits without a mention and edits in direct messages are delivered; link previews, old edits and the bot's own edits are not", async () => {
  await using stage = await begun();
  const { server, general, ana, botMention } = stage.harbour;
  const { people, world } = server;
  const at = { channel: general };
  const said = people.say({ channel: general, user: ana }, `${botMention} see https://x.example`);
  const plain = people.say({ channel: general, user: ana }, "hello");
  const direct = people.dm(ana, "hello");
  for (let taken = 0; taken < 3; taken += 1) await stage.inbox.nextMessage();
  people.unfurl(at, said, [{ type: "link", title: "X" }]);
  people.edit(at, plain, { content: "hello all" });
  people.edit(at, world.message(general, world.bot, { content: "x" }), { content: `${botMention} x` });
  people.edit({ channel: world.dm(ana) }, direct, { content: `${botMention} hello` });
  Object.assign(said, { editedAt: Date.now() - 60 * 60_000 });
  people.unfurl(at, said, []);
  people.say({ channel: general, user: ana }, "last");
  expect((await stage.inbox.nextMessage()).text).toBe("last");
  await stage.inbox.until(() => stage.inbox.events.length === 6);
  const edit = (key: string) =>
    stage.inbox.events.find((event) => event.key === key && event.kind === "message" && event.edited !== undefined);
  expect(edit(`discord:${plain.id}`)).toMatchObject({ text: "hello all", addressed: "none", edited: "now" });
  expect(edit(`discord:${direct.id}`)).toMatchObject({ addressed: "dm", edited: "now", at: direct.editedAt });
  expect(stage.harbour.log.lines.filter(({ level }) => level === "error")).toEqual([]);
});

test("deletions are delivered by message keys, a bulk deletion as one event, after earlier messages, also those that could not be stored", async () => {
  await using stage = await begun();
  const { server, general, ana, bob, botMention, log } = stage.harbour;
  const { people, gateway, world } = server;
  const said = ["one", "two", "three"].map((text) => people.say({ channel: general, user: ana }, text));
  const asked = people.say({ channel: general, user: bob }, `${botMention} fix it`);
  const direct = people.dm(ana, "hello");
  const refuse = stage.inbox.refuse();
  people.delete(general, asked);
  await stage.inbox.until(() => stage.inbox.events.length >= 5);
  refuse();
  people.delete(general, ...said);
  people.delete(world.dm(ana), direct);
  gateway.dispatch("MESSAGE_DELETE", { id: 7, channel_id: general.id });
  gateway.dispatch("MESSAGE_DELETE_BULK", { channel_id: general.id });
  const taken = (ids: readonly string[]) =>
    stage.inbox.deletions.find(
      ({ messages }) => messages.map(({ key }) => key).join() === ids.map((id) => `discord:${id}`).join(),
    );
  await stage.inbox.until(() =>
    [[asked.id], said.map(({ id }) => id), [direct.id]].every((ids) => taken(ids) !== undefined),
  );
  const [first] = taken(said.map(({ id }) => id))?.messages ?? [];
  expect(Math.abs((first?.at ?? 0) - Date.now())).toBeLessThan(60_000);
  expect(stage.inbox.deletions.every(({ messages }) => messages.length === 1 || messages.length === 3)).toBe(true);
  expect(log.lines.filter(({ level }) => level === "error")).toEqual([]);
});

test("deleting a forum post deletes its first message; deleting any other thread deletes no message", async () => {
  await using harbour = await openHarbour();
  const { server, guild, general, ana, botMention } = harbour;
  const { people, world } = server;
  const forum = world.channel(guild, "ideas", TYPE.forum);
  const inbox = new Inbox();
  await harbour.adapter().start(inbox.receive, never);
  const root = people.say({ channel: general, user: ana }, "what about it?");
  const [thread, post] = [people.openThread(general, root.id), people.openThread(forum, world.nextId())];
  people.say({ channel: post, user: ana }, `${botMention} fix it`, { id: post.id });
  await inbox.until(() => inbox.events.length === 2);
  for (const deleted of [thread, post]) people.deleteThread(deleted);
  await inbox.until(() => inbox.deletions.length > 0);
  expect(inbox.deletions.map(({ messages }) => messages.map(({ key }) => key))).toEqual([[`discord:${post.id}`]]);
});
