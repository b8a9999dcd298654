import { expect, test } from "vitest";
import { ABOUT_MESSAGE, ASK_SHORTCUT as ASK } from "../../../../src/core/inbound/prompts.ts";
import type { Receipt } from "../../../../src/core/platform/inbound.ts";
import { Inbox } from "../../../contracts/inbox.ts";
import { openSlackHarness } from "../../../support/slack/slack-harness.ts";

const never = new AbortController().signal;

async function begun(mode: "socket" | "http" = "socket", receipt: Receipt = { type: "accepted" }) {
  const harness = await openSlackHarness(mode);
  const inbox = new Inbox();
  const platform = harness.adapter();
  await platform.start(async (event) => {
    await inbox.receive(event);
    return receipt;
  }, never);
  return { platform, inbox, server: harness.server, [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose]() };
}

test.each(["socket", "http"] as const)(
  "the message shortcut asks about the message in its thread, by %s",
  async (mode) => {
    await using stage = await begun(mode);
    const { inbox, server } = stage;
    const { people, workspace } = server;
    const root = workspace.add({ channel: "C0001", user: "U0BOB", text: "the deploy <@U0ANA> started" });
    const file = workspace.addFile({ name: "trace.txt", mimetype: "text/plain", data: Buffer.from("503") });
    const attachments = [{ title: "HighLatency", text: "p99 is 4 s" }];
    const reply = workspace.add({
      channel: "C0001",
      user: "U0BOB",
      text: "it fails",
      threadTs: root.ts,
      files: [file],
      attachments,
    });
    await people.shortcut(root, ASK).answered;
    expect(await inbox.next()).toMatchObject({
      kind: "message",
      key: expect.stringMatching(/^slack:shortcut:trigger\./u),
      person: { name: "ana" },
      channel: { name: "ops", kind: "channel" },
      addressed: "mention",
      text: ABOUT_MESSAGE,
      quoted: ["bob wrote: the deploy @ana started"],
      thread: { channelId: "C0001", threadId: root.ts },
      messageId: root.ts,
    });
    await people.shortcut(reply, ASK).answered;
    expect(await inbox.next()).toMatchObject({
      quoted: ["bob wrote: it fails", expect.stringContaining("p99 is 4 s")],
      attachments: [{ name: "trace.txt" }],
      thread: { threadId: root.ts },
      messageId: reply.ts,
    });
  },
);

test("the shortcut works on an integration's message and in direct messages", async () => {
  await using stage = await begun();
  const { inbox, server } = stage;
  const { people, workspace } = server;
  const raw = { user: undefined, subtype: "bot_message", bot_id: "B0009", username: "Alertmanager" };
  const alert = workspace.add({ channel: "C0001", user: "U0BOT2", text: "disk is full", raw });
  await people.shortcut(alert, ASK).answered;
  expect(await inbox.next()).toMatchObject({ quoted: ["Alertmanager wrote: disk is full"], person: { name: "ana" } });
  const own = workspace.add({ channel: "D0001", user: "U0ANA", text: "my notes" });
  await people.shortcut(own, ASK).answered;
  expect(await inbox.next()).toMatchObject({ addressed: "dm", channel: { kind: "dm" }, messageId: own.ts });
});

test("a shortcut is acknowledged only once stored, and a retry has the same key", async () => {
  const harness = await openSlackHarness();
  await using _ = harness;
  const keys: string[] = [];
  await harness.platform.start((event) => {
    keys.push("key" in event ? event.key : event.kind);
    return keys.length === 1 ? Promise.reject(new Error("no database")) : Promise.resolve({ type: "accepted" });
  }, never);
  const { people, workspace } = harness.server;
  const message = workspace.add({ channel: "C0001", user: "U0BOB", text: "it fails" });
  await people.shortcut(message, ASK).answered;
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});

test.each([
  { where: "a public channel", isPrivate: false },
  { where: "a private channel", isPrivate: true },
])("in $where without the bot, only the person who used the shortcut is asked to invite it", async ({ isPrivate }) => {
  await using stage = await begun();
  const { inbox, platform, server } = stage;
  const { people, workspace } = server;
  const members = new Set(["U0ANA", "U0BOB"]);
  workspace.channels.set("C0009", { id: "C0009", name: "away", kind: "channel", isPrivate, members, gone: false });
  const message = workspace.add({ channel: "C0009", user: "U0BOB", text: "it fails" });
  await people.shortcut(message, ASK).answered;
  await platform.stop();
  expect(inbox.events).toEqual([]);
  expect(workspace.ephemerals).toMatchObject([{ channel: "C0009", user: "U0ANA", threadTs: null }]);
  expect(workspace.ephemerals[0]?.text).toContain("Invite me here");
});

test("a refusal is shown privately, and a shortcut with another name is ignored", async () => {
  await using stage = await begun("socket", { type: "refused", reason: "You may not use me here." });
  const { inbox, platform, server } = stage;
  const { people, workspace } = server;
  const message = workspace.add({ channel: "C0001", user: "U0BOB", text: "it fails" });
  await people.shortcut(message, "another").answered;
  await people.shortcut(message, ASK).answered;
  await platform.stop();
  expect(inbox.events).toHaveLength(1);
  expect(workspace.ephemerals.map(({ text, user }) => [text, user])).toEqual([["You may not use me here.", "U0ANA"]]);
});
