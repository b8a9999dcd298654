import { expect, test } from "vitest";
import { withoutMark } from "../../../src/adapters/discord/format.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { plainMessage, required } from "../../contracts/platform-steps.ts";
import { openHarbour } from "../../support/discord/harness.ts";
import type { DiscordServerOptions } from "../../support/discord/server.ts";
import { TYPE } from "../../support/discord/world.ts";

const ASKED = { name: "place", label: "ChannelContext", required: true, kind: "text" } as const;
const never = new AbortController().signal;
const stop = [{ id: "stop:run_1", label: "Stop", style: "danger" as const }];

async function begun(options: DiscordServerOptions = {}) {
  const harbour = await openHarbour(options);
  const adapter = harbour.adapter();
  const inbox = new Inbox();
  await adapter.start(inbox.receive, never);
  return { harbour, adapter, inbox, [Symbol.asyncDispose]: async () => harbour[Symbol.asyncDispose]() };
}

/** Posts a message with a Stop button in Ana's thread; `click` is Bob's click on it. */
async function withButton(test: Awaited<ReturnType<typeof begun>>) {
  const { harbour, adapter, inbox } = test;
  const { server, general, ana, bob, botMention } = harbour;
  server.people.say({ channel: general, user: ana }, `${botMention} hello`);
  const { thread } = await inbox.nextMessage();
  const posted = await adapter.post(thread, plainMessage("working", { buttons: stop }), "live");
  const channel = required(server.world.channels.get(posted.channelId));
  const message = required(server.world.find(posted.channelId, posted.messageId));
  return { thread, click: () => server.people.click({ channel, user: bob }, message, "stop:run_1") };
}

test("a click is acknowledged without a message, and its event key is the interaction's id", async () => {
  await using test = await begun();
  const { thread, click } = await withButton(test);
  const clicked = click();
  expect(await test.inbox.next()).toMatchObject({
    kind: "action",
    key: `discord:interaction:${clicked.id}`,
    action: "stop:run_1",
    thread,
    person: { id: `discord:${test.harbour.bob.id}`, name: "Bob" },
  });
  await clicked.answered;
  expect(clicked).toMatchObject({ response: 6, shown: [] });
});

test("a command that names its channel by id alone is received there", async () => {
  await using test = await begun();
  const { server, general, ana } = test.harbour;
  const id = server.world.nextId();
  const { token } = server.interactions.begin(id, ana.id);
  server.gateway.dispatch("INTERACTION_CREATE", {
    id,
    application_id: server.world.bot.id,
    token,
    type: 2,
    guild_id: general.guild_id,
    channel_id: general.id,
    member: { user: ana, roles: [], permissions: "0" },
    data: { id: "1", name: "help", type: 1 },
  });
  expect(await test.inbox.next()).toMatchObject({
    kind: "command",
    name: "help",
    channel: { id: general.id, name: "general" },
    person: { id: `discord:${ana.id}` },
  });
});

test("a click that could not be stored is not acknowledged", async () => {
  await using test = await begun();
  const { click } = await withButton(test);
  test.inbox.refuse();
  const clicked = click();
  await clicked.answered;
  expect(clicked.shown.map(({ content }) => content)).toEqual([
    "✗ I couldn't process that just now. Try again in a moment.",
  ]);
  expect(test.harbour.log.lines).toContainEqual(expect.objectContaining({ event: "discord.interaction_not_received" }));
});

test("a click that is stored after Discord's deadline is answered by a direct message", async () => {
  let lateMs = 0;
  await using test = await begun({ now: () => Date.now() + lateMs });
  const { click } = await withButton(test);
  test.inbox.answerWith({ type: "reply", message: plainMessage("nothing is running") });
  const release = test.inbox.hold();
  const clicked = click();
  await test.inbox.next();
  lateMs = 3_500;
  release();
  await expect
    .poll(() => test.harbour.server.people.shownPrivately(test.harbour.bob).join())
    .toContain("nothing is running");
  expect(clicked.response).toBeNull();
});

test("a click counts as acknowledged if only the response was lost", async () => {
  await using test = await begun();
  const { click } = await withButton(test);
  const warnings = () => test.harbour.log.lines.filter(({ level }) => level === "warn").length;
  test.harbour.server.faults.loseNextResponse("callback", "reset");
  const clicked = click();
  await clicked.answered;
  expect(clicked.response).toBe(6);
  await expect.poll(() => test.harbour.server.requests.filter(({ kind }) => kind === "callback").length).toBe(2);
  await test.adapter.stop();
  expect(warnings()).toBe(0);
});

test("ephemeral messages use the interaction while its token is valid, and direct messages otherwise", async () => {
  let lateMs = 0;
  await using test = await begun({ now: () => Date.now() + lateMs });
  const { harbour, adapter } = test;
  const { thread, click } = await withButton(test);
  const tell = (text: string) => adapter.postEphemeral(thread, `discord:${harbour.bob.id}`, plainMessage(text));
  const direct = () => harbour.server.world.dm(harbour.bob).messages.map(({ content }) => content.split("\n")[0]);
  await tell("before");
  expect(direct()).toEqual(["before"]);
  const clicked = click();
  await clicked.answered;
  await expect.poll(() => test.inbox.fresh.length).toBe(2);
  await tell("between");
  expect(clicked.shown.map(({ content, flags }) => [content, flags & 64])).toEqual([["between", 64]]);
  lateMs = 16 * 60_000;
  await tell("after");
  expect(direct()).toEqual(["before", "after"]);
});

test("a private answer whose files exceed a request's size is split into several ephemeral messages", async () => {
  await using test = await begun();
  const { server, general, ana } = test.harbour;
  const data = new TextEncoder().encode("line\n".repeat(6_000_000));
  const message = plainMessage("All of it.", { files: [{ name: "all.txt", mediaType: "text/plain", data }] });
  test.inbox.answerWith({ type: "reply", message });
  const command = server.people.command({ channel: general, user: ana }, "help");
  await expect
    .poll(() => command.shown.map(({ content, flags }) => [content, flags & 64]))
    .toEqual([
      ["All of it.", 64],
      ["", 64],
    ]);
  const event = await test.inbox.next();
  await test.adapter.postEphemeral(event.thread, `discord:${ana.id}`, message);
  expect(command.shown).toHaveLength(4);
});

test("if a split private answer fails midway, the direct message contains only the remaining parts", async () => {
  await using test = await begun();
  const { server, general, ana } = test.harbour;
  const data = new TextEncoder().encode("line\n".repeat(6_000_000));
  const files = [{ name: "all.txt", mediaType: "text/plain", data }];
  test.inbox.answerWith({ type: "reply", message: plainMessage("All of it.", { files }) });
  const release = server.faults.holdResponses("callback");
  const command = server.people.command({ channel: general, user: ana }, "help");
  await expect.poll(() => command.shown).toHaveLength(1);
  server.faults.refuseNext("other", { status: 404, body: { message: "Unknown Webhook", code: 10_015 } });
  release();
  const direct = () => server.world.dm(ana).messages.map((message) => message.files.map(({ name }) => name));
  await expect.poll(direct).toEqual([["all-3.txt"]]);
  expect(command.shown.map(({ content }) => content)).toEqual(["All of it."]);
  expect(
    server.world
      .dm(ana)
      .messages.map(({ content }) => content)
      .join(),
  ).not.toContain("All of it.");
});

test("a direct message links the thread that it concerns, if one exists", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { server, general, ana, botMention } = harbour;
  server.people.say({ channel: general, user: ana }, `${botMention} /help`);
  const { thread } = await inbox.nextMessage();
  const tell = () =>
    adapter.postEphemeral(thread, `discord:${ana.id}`, plainMessage("Guests may not.", { footer: "ask an operator" }));
  await tell();
  await adapter.post(thread, plainMessage("working"), "live");
  await tell();
  expect(server.people.shownPrivately(ana)).toEqual(
    [general.id, thread.threadId].map(
      (about) => `Guests may not.\n-# ask an operator\n-# About your message in <#${about}>`,
    ),
  );
});

test("clicks and forms in a direct message take effect in the thread that it concerns", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { server, general, ana, botMention } = harbour;
  server.people.say({ channel: general, user: ana }, `${botMention} /skill`);
  const { thread } = await inbox.nextMessage();
  const choices = ["skill:review", `skill:${"x".repeat(60)}`].map((id) => ({
    id,
    label: id,
    style: "default" as const,
  }));
  await adapter.postEphemeral(thread, `discord:${ana.id}`, plainMessage("Which one?", { buttons: choices }));
  const at = { channel: server.world.dm(ana), user: ana };
  const shown = required(at.channel.messages.at(-1));
  const ids = shown.components.flatMap((row) => row.components.map(({ custom_id }) => custom_id));
  expect(ids).toHaveLength(1);
  const form = { title: "review", command: "skill", line: "review", fields: [ASKED] };
  inbox.answerWith({ type: "reply", message: plainMessage("What is missing?"), form });
  const clicked = server.people.click(at, shown, required(ids[0]));
  expect(await inbox.next()).toMatchObject({ kind: "action", action: "skill:review", thread });
  await clicked.answered;
  inbox.answerWith({ type: "accepted" });
  server.people.submit(at, clicked, { place: "here" });
  expect(await inbox.next()).toMatchObject({ kind: "command", name: "skill", args: "review", thread });
});

test("buttons in a direct message are refused to a person who has left the private thread", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { server, guild, general, ana } = harbour;
  const { world } = server;
  const hidden = world.privateThread(general, "hidden");
  hidden.threadMembers.add(ana.id);
  const thread = { platform: "discord" as const, workspaceId: guild.id, channelId: general.id, threadId: hidden.id };
  await adapter.postEphemeral(thread, `discord:${ana.id}`, plainMessage("Details?", { buttons: stop }));
  const at = { channel: world.dm(ana), user: ana };
  const shown = required(at.channel.messages.at(-1));
  const [button] = shown.components.flatMap((row) => row.components.map(({ custom_id }) => custom_id));
  const click = () => server.people.click(at, shown, required(button));
  await click().answered;
  expect(await inbox.next()).toMatchObject({ kind: "action", action: "stop:run_1", thread });
  hidden.threadMembers.delete(ana.id);
  const clicked = click();
  await clicked.answered;
  expect(clicked.shown.map(({ content }) => content)).toEqual(["This button no longer works."]);
  expect(inbox.fresh).toHaveLength(1);
});

test("a person who accepts no direct messages is notified once in the channel, without the content", async () => {
  await using test = await begun();
  const { harbour, adapter } = test;
  const { thread } = await withButton(test);
  harbour.server.faults.closedDms.add(harbour.ana.id);
  await adapter.postEphemeral(thread, `discord:${harbour.ana.id}`, plainMessage("Guests may not."));
  await adapter.postEphemeral(thread, `discord:${harbour.ana.id}`, plainMessage("They may not."));
  const told = harbour.server.world.channels
    .get(thread.threadId ?? "")
    ?.messages.filter(({ content }) => content.includes("your direct messages are off"));
  expect(told).toHaveLength(1);
  expect(told?.[0]).toMatchObject({ content: expect.stringContaining(`<@${harbour.ana.id}>`), pings: [] });
  expect(JSON.stringify([told, harbour.log.lines])).not.toContain("may not");
});

test("an ephemeral message in a direct message channel is posted there", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  harbour.server.people.dm(harbour.ana, "hello");
  const { thread } = await inbox.nextMessage();
  await adapter.postEphemeral(thread, `discord:${harbour.ana.id}`, plainMessage("Not now."));
  expect(harbour.server.people.shownPrivately(harbour.ana)).toEqual(["Not now."]);
});

test.each([
  ["a channel: its reply opens the thread", "channel", null],
  ["a thread: that thread", "thread", "thread"],
  ["direct messages: none", "dm", null],
] as const)("a slash command in %s", async (_name, where, expected) => {
  await using test = await begun();
  const { harbour, inbox } = test;
  const { server, general, ana } = harbour;
  const root = server.world.message(general, ana, { content: "before" });
  const places = { channel: general, thread: server.people.openThread(general, root.id), dm: server.world.dm(ana) };
  const channel = places[where];
  const command = server.people.command({ channel, user: ana }, "jobs", [
    { name: "add", type: 1, options: [{ name: "name", type: 3, value: "Daily report" }] },
  ]);
  expect(await inbox.next()).toMatchObject({
    kind: "command",
    key: `discord:interaction:${command.id}`,
    name: "jobs",
    args: 'add --name "Daily report"',
    thread: {
      channelId: where === "dm" ? channel.id : general.id,
      threadId: expected === "thread" ? root.id : expected,
    },
    person: { name: "Ana" },
  });
  await command.answered;
  expect(command.shown.map(({ content, flags }) => [content, flags & 64])).toEqual([["✓ /jobs", 64]]);
});

test("the reply to a command in a channel opens a thread", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { server, general, ana } = harbour;
  server.people.command({ channel: general, user: ana }, "help");
  const { thread } = await inbox.next();
  const reply = await adapter.post(thread, plainMessage("What would you like?", { buttons: stop }), "reply");
  expect(reply.channelId).toBe(general.id);
  const opened = { ...thread, threadId: reply.messageId };
  server.people.click(
    { channel: general, user: ana },
    required(server.world.find(general.id, reply.messageId)),
    "stop:run_1",
  );
  expect((await inbox.next()).thread).toEqual(opened);
  await adapter.post(opened, plainMessage("more"), "more");
  expect(server.world.channels.get(reply.messageId)).toMatchObject({ type: TYPE.thread, name: "What would you like?" });
  expect(server.world.channels.get(reply.messageId)?.messages.map(({ content }) => withoutMark(content))).toEqual([
    "",
    "more",
  ]);
});
