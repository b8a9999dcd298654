import { expect, test } from "vitest";
import { DM_WORKSPACE } from "../../../src/adapters/discord/channels.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { openHarbour } from "../../support/discord/harness.ts";

test("channel permissions of people and the bot follow Discord's roles and overwrites", async () => {
  await using harbour = await openHarbour();
  const { guild, general, ana, server } = harbour;
  const { world } = server;
  const stranger = world.user("cy");
  const both = world.privateChannel(guild, "both", [ana, world.bot]);
  const botsOnly = world.privateChannel(guild, "bots", [world.bot]);
  const hers = world.privateChannel(guild, "hers", [ana]);
  const quay = world.guild("Quay");
  world.join(quay, ana);
  const elsewhere = world.channel(quay, "far");
  const platform = harbour.adapter();
  await platform.start(new Inbox().receive, new AbortController().signal);
  const membership = ({ id }: { id: string }, person = ana) =>
    platform.membership?.(
      { platform: "discord", workspaceId: guild.id, channelId: id, threadId: null },
      `discord:${person.id}`,
    );
  expect(await membership(general)).toEqual({ isPrivate: false, isMember: true, canPost: true });
  expect(await membership(general, stranger)).toEqual({ isPrivate: false, isMember: false, canPost: true });
  expect(await membership(both)).toEqual({ isPrivate: true, isMember: true, canPost: true });
  expect(await membership(botsOnly)).toEqual({ isPrivate: true, isMember: false, canPost: true });
  expect(await membership(hers), "which the bot does not see").toBeNull();
  const member = ({ id }: { id: string }) =>
    platform.member?.(
      { platform: "discord", workspaceId: guild.id, channelId: general.id, threadId: null },
      `discord:${id}`,
    );
  expect(await member(ana)).toMatchObject({ id: `discord:${ana.id}`, isGuest: false });
  expect(await member(stranger), "who is not on the server").toBeNull();
  expect(await membership({ id: "1" })).toBeNull();
  expect(await membership(elsewhere)).toBeNull();
  expect(await membership(world.dm(ana))).toEqual({ isPrivate: true, isMember: true, canPost: true });
  expect(await membership(world.dm(stranger))).toEqual({ isPrivate: true, isMember: false, canPost: true });
});

test("a private thread is visible to its members, any other thread to those who see its channel", async () => {
  await using harbour = await openHarbour();
  const { guild, general, ana, bob, server } = harbour;
  const { world } = server;
  const open = world.thread(general, "open");
  const closed = world.privateThread(general, "closed");
  closed.threadMembers.add(ana.id);
  const hidden = world.privateChannel(guild, "hidden", [bob, world.bot]);
  const within = world.privateThread(hidden, "within");
  within.threadMembers.add(ana.id);
  const platform = harbour.adapter();
  await platform.start(new Inbox().receive, new AbortController().signal);
  const membership = (thread: { id: string }, { id }: { id: string }, channel: { id: string } = general) =>
    platform.membership?.(
      { platform: "discord", workspaceId: guild.id, channelId: channel.id, threadId: thread.id },
      `discord:${id}`,
    );
  expect(await membership(open, bob)).toMatchObject({ isPrivate: false, isMember: true });
  expect(await membership(closed, ana)).toMatchObject({ isPrivate: true, isMember: true });
  expect(await membership(closed, bob)).toMatchObject({ isPrivate: true, isMember: false });
  expect(await membership(within, ana, hidden)).toMatchObject({ isPrivate: true, isMember: false });
  expect(await membership(open, bob, hidden), "a thread of another channel").toBeNull();
  expect(await membership({ id: "1" }, bob)).toBeNull();
});

test("in direct messages, a person who has joined a server or passed its screening soon stops counting as a guest", async () => {
  await using harbour = await openHarbour();
  const { guild, server } = harbour;
  const { world, people } = server;
  const [waiting, stranger] = [world.user("cy"), world.user("eve")];
  world.join(guild, waiting, { pending: true });
  const { clock } = systemRuntime();
  let ahead = 0;
  const platform = harbour.adapter({ clock: { ...clock, now: () => clock.now() + ahead } });
  const inbox = new Inbox();
  await platform.start(inbox.receive, new AbortController().signal);
  const isGuest = async (person: typeof waiting) => {
    people.dm(person, "hello");
    return (await inbox.nextMessage()).person.isGuest;
  };
  for (const person of [waiting, stranger]) expect(await isGuest(person)).toBe(true);
  for (const person of [waiting, stranger]) world.join(guild, person);
  ahead = 60_000;
  for (const person of [waiting, stranger]) expect(await isGuest(person)).toBe(false);
});

test("in direct messages a person counts as a guest until screened by a server, and as gone without a common server", async () => {
  await using harbour = await openHarbour();
  const { guild, ana, server } = harbour;
  const { world, people } = server;
  const [waiting, stranger] = [world.user("cy"), world.user("eve")];
  world.join(guild, waiting, { pending: true });
  const platform = harbour.adapter();
  const inbox = new Inbox();
  await platform.start(inbox.receive, new AbortController().signal);
  people.dm(waiting, "let me in");
  expect((await inbox.nextMessage()).person).toMatchObject({ id: `discord:${waiting.id}`, isGuest: true });
  people.dm(ana, "hello");
  expect((await inbox.nextMessage()).person).toMatchObject({ id: `discord:${ana.id}`, isGuest: false });
  const member = ({ id }: { id: string }) =>
    platform.member?.(
      { platform: "discord", workspaceId: DM_WORKSPACE.id, channelId: "1", threadId: null },
      `discord:${id}`,
    );
  expect(await member(waiting)).toMatchObject({ isGuest: true });
  expect(await member(ana)).toMatchObject({ isGuest: false });
  expect(await member(stranger)).toBeNull();
  people.dm(stranger, "and me");
  expect((await inbox.nextMessage()).person).toMatchObject({ id: `discord:${stranger.id}`, isGuest: true });
});
