import { createServer } from "node:http";
import { expect, test } from "vitest";
import type { Receipt } from "../../../../src/core/platform/inbound.ts";
import type { OutgoingMessage } from "../../../../src/core/platform/outgoing.ts";
import { Inbox } from "../../../contracts/inbox.ts";
import { plainMessage } from "../../../contracts/platform-steps.ts";
import { openSlackHarness, type SlackHarness } from "../../../support/slack/slack-harness.ts";

const never = new AbortController().signal;
const ANA = "slack:U0ANA";
const STOP: OutgoingMessage["buttons"] = [{ id: "stop:run_1", label: "Stop", style: "danger" }];

async function begun(receipt: Receipt = { type: "accepted" }) {
  const harness = await openSlackHarness();
  const inbox = new Inbox();
  const stage = { receipt };
  await harness.platform.start(async (event) => {
    await inbox.receive(event);
    return stage.receipt;
  }, never);
  return { harness, inbox, stage, [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose]() };
}

/** Private messages that Ana saw, with their threads, and those that Slack accepted but showed to nobody. */
function shown({ server: { workspace } }: SlackHarness) {
  return {
    seen: workspace.ephemerals.map(({ text, threadTs }) => [text, threadTs]),
    unseen: workspace.unseen.map(({ text }) => text),
  };
}

function callsOf({ server }: SlackHarness, method: string) {
  return server.calls.filter((call) => call.method === method);
}

test("a private answer to a message without replies is shown in the channel, without a request to Slack", async () => {
  await using stage = await begun();
  const { harness, inbox } = stage;
  await harness.mention("hello");
  const { thread } = await inbox.nextMessage();
  await harness.platform.postEphemeral(thread, ANA, plainMessage("between us"));
  expect(shown(harness)).toEqual({ seen: [["between us", null]], unseen: [] });
  expect(callsOf(harness, "conversations.replies")).toEqual([]);
});

test.each([
  {
    who: "somebody",
    reply: async ({ harness, inbox }, thread) => {
      await harness.reply(thread, "me too", { as: "bob" });
      await inbox.nextMessage();
    },
  },
  { who: "Deckhand", reply: ({ harness }, thread) => harness.platform.post(thread, plainMessage("done"), "k") },
  {
    who: "a file of Deckhand's",
    reply: ({ harness }, thread) =>
      harness.platform.upload(thread, { name: "a.md", mediaType: "text/markdown", data: new Uint8Array([35]) }, "k"),
  },
] satisfies {
  who: string;
  reply: (stage: Awaited<ReturnType<typeof begun>>, thread: OutThread) => Promise<unknown>;
}[])("once $who has replied, a private answer is shown in the thread", async ({ reply }) => {
  await using stage = await begun();
  const { harness, inbox } = stage;
  await harness.mention("hello");
  const { thread } = await inbox.nextMessage();
  await reply(stage, thread);
  await harness.platform.postEphemeral(thread, ANA, plainMessage("between us"));
  expect(shown(harness)).toEqual({ seen: [["between us", thread.threadId]], unseen: [] });
  expect(callsOf(harness, "conversations.replies")).toEqual([]);
});

type OutThread = Parameters<SlackHarness["platform"]["post"]>[0];

test.each([
  { what: "with a reply", replies: ["yes"], inside: true },
  { what: "without replies", replies: [], inside: false },
])("after a restart Slack is asked once whether a thread has replies: one $what", async ({ replies, inside }) => {
  await using stage = await begun();
  const { harness } = stage;
  const { workspace } = harness.server;
  const root = workspace.add({ channel: "C0001", user: "U0ANA", text: "hello" });
  for (const text of replies) workspace.add({ channel: "C0001", user: "U0BOB", threadTs: root.ts, text });
  const thread = { platform: "slack", workspaceId: "T0001", channelId: "C0001", threadId: root.ts } as const;
  for (const words of ["one", "two"]) await harness.platform.postEphemeral(thread, ANA, plainMessage(words));
  const place = inside ? root.ts : null;
  expect(shown(harness)).toEqual({
    seen: [
      ["one", place],
      ["two", place],
    ],
    unseen: [],
  });
  expect(callsOf(harness, "conversations.replies")).toHaveLength(1);
});

test("if the thread cannot be read, the answer is shown in the channel, and the next answer checks again", async () => {
  await using stage = await begun();
  const { harness } = stage;
  const { workspace, faults } = harness.server;
  const root = workspace.add({ channel: "C0001", user: "U0ANA", text: "hello" });
  workspace.add({ channel: "C0001", user: "U0BOB", threadTs: root.ts, text: "yes" });
  const thread = { platform: "slack", workspaceId: "T0001", channelId: "C0001", threadId: root.ts } as const;
  faults.add("conversations.replies", { kind: "rate_limited", retryAfterS: 30 });
  for (const words of ["one", "two"]) await harness.platform.postEphemeral(thread, ANA, plainMessage(words));
  expect(shown(harness)).toEqual({
    seen: [
      ["one", null],
      ["two", root.ts],
    ],
    unseen: [],
  });
});

test("a click is answered through its response_url, without replacing the clicked message", async () => {
  await using stage = await begun();
  const { harness, inbox } = stage;
  await harness.mention("hello");
  const { thread } = await inbox.nextMessage();
  const posted = await harness.platform.post(thread, plainMessage("working", { buttons: STOP }), "live");
  stage.stage.receipt = { type: "reply", message: plainMessage("That is Bob's to stop.") };
  await (await harness.click(posted, "stop:run_1")).answered;
  await harness.platform.stop();
  expect(shown(harness)).toEqual({ seen: [["That is Bob's to stop.", thread.threadId]], unseen: [] });
  expect(callsOf(harness, "chat.postEphemeral")).toEqual([]);
  const [message] = (await harness.visible(thread)).filter(({ by }) => by === "bot");
  expect(message).toMatchObject({ buttons: [{ id: "stop:run_1" }] });
});

test("a click on a report without replies is answered in its channel", async () => {
  await using stage = await begun({ type: "reply", message: plainMessage("Details.") });
  const { harness } = stage;
  const channel = { platform: "slack", workspaceId: "T0001", channelId: "C0001", threadId: null } as const;
  const report = await harness.platform.post(channel, plainMessage("The report.", { buttons: STOP }), "report");
  await (await harness.click(report, "stop:run_1")).answered;
  await harness.platform.stop();
  expect(shown(harness)).toEqual({ seen: [["Details.", null]], unseen: [] });
});

test("a click on a private button shown in the channel takes effect in its thread", async () => {
  await using stage = await begun();
  const { harness, inbox } = stage;
  const { people, workspace } = harness.server;
  await harness.mention("/skill");
  const { thread } = await inbox.nextMessage();
  const buttons: OutgoingMessage["buttons"] = [{ id: "skill:review", label: "review", style: "default" }];
  await harness.platform.postEphemeral(thread, ANA, plainMessage("Which skill?", { buttons }));
  people.clickEphemeral(workspace.ephemerals[0], "skill:review");
  await inbox.until(() => inbox.fresh.some(({ kind }) => kind === "action"));
  expect(inbox.fresh.find(({ kind }) => kind === "action")).toMatchObject({ action: "skill:review", thread });
});

test("an expired response_url does not lose the answer", async () => {
  await using stage = await begun({ type: "reply", message: plainMessage("Details.") });
  const { harness, inbox } = stage;
  const { deliveries, workspace, apiUrl } = harness.server;
  const to = { channel: "C0001", user: "U0ANA" };
  const url = workspace.giveResponseUrl(new URL(apiUrl).origin, to);
  workspace.responseUrls.get(url.split("/").at(-1) ?? "")?.answers.push(...Array.from({ length: 5 }, () => "ok"));
  await deliveries.deliver("interactive", clickOn(url)).answered;
  await inbox.next();
  await harness.platform.stop();
  expect(shown(harness)).toEqual({ seen: [["Details.", null]], unseen: [] });
  expect(callsOf(harness, "chat.postEphemeral")).toHaveLength(1);
});

test("nothing is sent to a response_url outside Slack", async () => {
  await using stage = await begun({ type: "reply", message: plainMessage("Details.") });
  const { harness } = stage;
  let asked = 0;
  const stranger = createServer((_request, response) => {
    asked += 1;
    response.end("ok");
  });
  await new Promise<void>((resolve) => {
    stranger.listen(0, "127.0.0.1", resolve);
  });
  const address = stranger.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/response`;
  await harness.server.deliveries.deliver("interactive", clickOn(url)).answered;
  await harness.platform.stop();
  stranger.close();
  expect(asked).toBe(0);
  expect(shown(harness)).toEqual({ seen: [["Details.", null]], unseen: [] });
});

function clickOn(url: string) {
  return {
    type: "block_actions",
    user: { id: "U0ANA" },
    channel: { id: "C0001", name: "ops" },
    container: { type: "message", message_ts: "200.000200", is_ephemeral: true },
    actions: [{ type: "button", action_id: "retry:run_1", action_ts: "300.000300" }],
    response_url: url,
  };
}
