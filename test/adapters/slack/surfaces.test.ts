import { expect, test } from "vitest";
import { ABOUT_MESSAGE } from "../../../src/core/inbound/prompts.ts";
import type { HomeView } from "../../../src/core/platform/home-view.ts";
import type { Receipt } from "../../../src/core/platform/inbound.ts";
import { reply } from "../../../src/core/platform/replies.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { openSlackHarness } from "../../support/slack/slack-harness.ts";
import type { SlackPeople } from "../../support/slack/slack-people.ts";

const never = new AbortController().signal;

const HOME: HomeView = {
  introduction: ["I'm Deckhand.", "Mode **write**: `look` & <ask>."],
  sessions: [
    {
      thread: { platform: "slack", workspaceId: "T0001", channelId: "C0001", threadId: "1.2" },
      title: "fix <!channel> | now",
      state: "working",
      at: 1_800_000_000_000,
    },
  ],
  jobs: [
    {
      name: "Daily report",
      sentence: "every weekday at 09:00",
      nextAt: 1_800_000_000_000,
      strip: "▁▂✗",
      buttons: [{ id: "job-run:job_1", label: "Run now", style: "default" }],
    },
  ],
  addJob: { id: "jobs:add", label: "Add a job", style: "default" },
  prompts: [{ id: "prompt:help", label: "What can you do here?", style: "default" }],
};

async function begun(receipt: Receipt = { type: "accepted" }) {
  const harness = await openSlackHarness();
  const platform = harness.adapter({ reactions: ["robot_face"] });
  const inbox = new Inbox();
  await platform.start(async (event) => {
    await inbox.receive(event);
    return receipt;
  }, never);
  return { platform, inbox, server: harness.server, [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose]() };
}

test.each([
  { where: "in a thread", threadTs: "1700000000.000100" },
  { where: "in a channel, where no thread can hang at it", threadTs: null },
])("a click on an ephemeral message $where takes effect there", async ({ threadTs }) => {
  await using stage = await begun();
  const button = { type: "button", action_id: "skill:review", text: { type: "plain_text", text: "review" } };
  const blocks = [{ type: "actions", elements: [button] }];
  const shown = { channel: "C0001", threadTs, user: "U0ANA", text: "", blocks };
  await stage.server.people.clickEphemeral(shown, "skill:review").answered;
  expect(await stage.inbox.next()).toMatchObject({
    kind: "action",
    action: "skill:review",
    thread: { channelId: "C0001", threadId: threadTs },
  });
});

test("opening the home tab publishes the core's view; other tabs do nothing", async () => {
  await using stage = await begun({ type: "home", view: HOME });
  const { inbox, platform, server } = stage;
  await server.people.openHome("U0ANA", "about").answered;
  await server.people.openHome("U0ANA").answered;
  expect(await inbox.next()).toMatchObject({
    kind: "surface",
    surface: "home",
    person: { name: "ana" },
    thread: { channelId: "D0001", threadId: null },
  });
  await platform.stop();
  const blocks = JSON.stringify(server.workspace.homes.get("U0ANA"));
  expect(blocks).toContain("Mode *write*: `look` &amp; &lt;ask&gt;.");
  expect(blocks).toContain("<https://app.slack.com/client/T0001/C0001/thread/C0001-1.2|fix");
  expect(blocks).not.toContain("<!channel>");
  expect(blocks).toContain("*Daily report* · every weekday at 09:00 · next <!date^1800000000^");
  expect(blocks).toMatch(/next <!date[^>]*> · ▁▂✗/u);
  for (const id of ["prompt:help", "job-run:job_1", "jobs:add"]) expect(blocks).toContain(id);
  expect(server.calls.filter(({ method }) => method === "views.publish").map(({ outcome }) => outcome)).toEqual(["ok"]);
});

test("a click on the home tab is delivered as a click in the person's direct messages", async () => {
  await using stage = await begun({ type: "home", view: HOME });
  const { inbox, platform, server } = stage;
  await server.people.openHome("U0ANA").answered;
  await inbox.next();
  await platform.stop();
  await platform.start(inbox.receive, never);
  await server.people.clickHome("prompt:help").answered;
  expect(await inbox.next()).toMatchObject({
    kind: "action",
    action: "prompt:help",
    channel: { kind: "dm" },
    thread: { channelId: "D0001", threadId: null },
  });
});

test("an assistant thread gets the core's suggested prompts", async () => {
  const prompts = [{ title: "Look around", message: "What is here?" }];
  await using stage = await begun({ type: "prompts", prompts });
  const { inbox, platform, server } = stage;
  const root = server.people.openPane();
  expect(await inbox.next()).toMatchObject({
    kind: "surface",
    surface: "assistant",
    thread: { channelId: "D0001", threadId: root },
  });
  await platform.stop();
  expect(server.workspace.suggestions.get(`D0001 ${root}`)).toEqual(prompts);
});

test("opening the messages tab of an agent app sets the suggested prompts of the whole tab", async () => {
  const prompts = [{ title: "Look around", message: "What is here?" }];
  await using stage = await begun({ type: "prompts", prompts });
  const { inbox, platform, server } = stage;
  await server.people.openHome("U0ANA", "messages").answered;
  expect(await inbox.next()).toMatchObject({
    kind: "surface",
    surface: "assistant",
    person: { name: "ana" },
    thread: { channelId: "D0001", threadId: null },
  });
  await platform.stop();
  expect(server.workspace.suggestions.get("D0001")).toEqual(prompts);
});

test("the context that a person views beside the assistant pane is included once, in the next message", async () => {
  await using stage = await begun();
  const { inbox, server } = stage;
  const { people, workspace } = server;
  const write = async (text: string, raw: object = {}) => {
    people.deliver(workspace.add({ channel: "D0001", user: "U0ANA", text, raw: { ...raw } }));
    return (await inbox.nextMessage()).quoted;
  };
  const channel = { type: "slack#/types/channel_id", value: "C0001", team_id: "T0001" };
  const message = { type: "slack#/types/message_context", value: { channel_id: "C0001", message_ts: "1.2" } };
  await people.lookAt([channel]).answered;
  expect(await write("what is this?")).toEqual(["Beside this conversation the person has open: #ops(C0001)"]);
  expect(await write("and now?")).toEqual([]);
  const canvas = { type: "slack#/types/canvas_id", value: "F1" };
  await people.lookAt([message, canvas]).answered;
  expect(await write("this one?")).toEqual([
    "Beside this conversation the person has open: the message 1.2 in #ops(C0001), canvas F1",
  ]);
  expect(await write("here?", { app_context: { entities: [channel] } })).toHaveLength(1);
  await people.lookAt([]).answered;
  expect(await write("and here?")).toEqual([]);
});

test("a status is shown in threads of channels and of direct messages", async () => {
  await using stage = await begun();
  const { platform, server } = stage;
  const thread = { platform: "slack", workspaceId: "T0001", channelId: "D0001", threadId: "1.2" } as const;
  for (const channel of ["C0001", "D0001"]) server.workspace.add({ channel, user: "U0ANA", ts: "1.2", text: "hi" });
  await platform.showStatus?.(thread, "is working…");
  await platform.showStatus?.({ ...thread, channelId: "C0001" }, "is working…");
  await platform.showStatus?.({ ...thread, threadId: null }, "is working…");
  await platform.showStatus?.(thread, "");
  expect([...server.workspace.statuses]).toEqual([
    ["D0001 1.2", ["is working…", ""]],
    ["C0001 1.2", ["is working…"]],
  ]);
});

test.each([
  { where: "a thread of the pane", begin: (people: SlackPeople) => people.openPane() },
  { where: "a direct message", begin: () => undefined },
])("$where gets its title from its first message, once", async ({ begin }) => {
  await using stage = await begun();
  const { inbox, platform, server } = stage;
  const { people, workspace } = server;
  const pane = begin(people);
  if (pane !== undefined) await inbox.next();
  const inPane = pane === undefined ? {} : { threadTs: pane };
  const first = people.say({ channel: "D0001", text: "*Why* is <https://a.example|the deploy>\nslow?", ...inPane });
  await first.answered;
  const root = pane ?? first.ts;
  await people.say({ channel: "D0001", text: "Is it the cache?", threadTs: root }).answered;
  await platform.stop();
  expect([...workspace.titles]).toEqual([[`D0001 ${root}`, "Why is the deploy slow?"]]);
  expect(server.calls.filter(({ method }) => method === "assistant.threads.setTitle")).toHaveLength(1);
});

test.each([
  { what: "what is refused", receipt: { type: "refused", reason: "No." }, channel: "D0001" },
  { what: "what comes again", receipt: { type: "duplicate" }, channel: "D0001" },
  { what: "a thread of a channel", receipt: { type: "accepted" }, channel: "C0001" },
] as const)("$what gets no title", async ({ receipt, channel }) => {
  await using stage = await begun(receipt);
  await stage.server.people.mention({ text: "hello", channel }).answered;
  await stage.platform.stop();
  expect([...stage.server.workspace.titles]).toEqual([]);
});

test("adding the bot to a channel is delivered with the inviter; other joins are ignored", async () => {
  await using stage = await begun();
  const { inbox, server } = stage;
  const { people, workspace } = server;
  const ts = workspace.nextTs();
  await people.event({ type: "member_joined_channel", user: "U0BOB", channel: "C0002", event_ts: ts }).answered;
  await people.invite("C0003").answered;
  expect(await inbox.next()).toMatchObject({
    kind: "surface",
    surface: "channel",
    person: { name: "ana" },
    channel: { id: "C0003", kind: "channel" },
    thread: { threadId: null },
  });
});

test.each([
  { what: "a message", threaded: false },
  { what: "a reply in a thread", threaded: true },
])("a reaction to $what asks about it in its thread", async ({ threaded }) => {
  await using stage = await begun();
  const { inbox, server } = stage;
  const { people, workspace } = server;
  const root = workspace.add({ channel: "C0001", user: "U0BOB", text: "the deploy <@U0ANA> started" });
  const message = threaded
    ? workspace.add({ channel: "C0001", user: "U0BOB", text: "it fails with 503", threadTs: root.ts })
    : root;
  await people.react(message, "eyes").answered;
  await people.react(message, "robot_face::skin-tone-3").answered;
  expect(await inbox.next()).toMatchObject({
    kind: "message",
    key: `slack:reaction:C0001:${message.ts}:robot_face:U0ANA`,
    person: { name: "ana" },
    addressed: "mention",
    text: ABOUT_MESSAGE,
    quoted: [threaded ? "bob wrote: it fails with 503" : "bob wrote: the deploy @ana started"],
    thread: { threadId: root.ts },
    messageId: message.ts,
  });
});

test("reactions by the bot and to its own messages are ignored", async () => {
  await using stage = await begun();
  const { inbox, server } = stage;
  const { people, workspace } = server;
  const own = workspace.add({ channel: "C0001", user: workspace.botUserId, text: "done" });
  const bobs = workspace.add({ channel: "C0001", user: "U0BOB", text: "thanks" });
  await people.react(own, "robot_face").answered;
  await people.react(bobs, "robot_face", workspace.botUserId).answered;
  await people.react(bobs, "robot_face").answered;
  expect(await inbox.next()).toMatchObject({ messageId: bobs.ts, person: { name: "ana" } });
});

test("messages missed during downtime are found in channels, threads and direct messages", async () => {
  await using stage = await begun();
  const { platform, server } = stage;
  const { workspace } = server;
  const bot = `<@${workspace.botUserId}>`;
  const root = workspace.add({ channel: "C0001", user: "U0ANA", text: "an old root", ts: "1000000000.000100" });
  const known = workspace.add({ channel: "C0001", user: "U0ANA", text: "a session's root", ts: "1000000000.000200" });
  const since = Date.now();
  workspace.add({ channel: "C0001", user: "U0ANA", text: `${bot} first` });
  workspace.add({ channel: "C0001", user: "U0BOB", text: "second", threadTs: root.ts });
  workspace.add({ channel: "C0001", user: workspace.botUserId, text: "mine" });
  workspace.add({ channel: "D0001", user: "U0ANA", text: "third" });
  const thread = { platform: "slack", workspaceId: "T0001", channelId: "C0001", threadId: known.ts } as const;
  expect(await platform.missed({ since, known: [thread], signal: never })).toMatchObject([
    { text: "first", addressed: "mention", opensThread: true },
    { text: "second", addressed: "none", thread: { threadId: root.ts } },
    { text: "third", addressed: "dm" },
  ]);
});

const LACKING: Receipt = {
  type: "reply",
  message: { lane: "answer", markdown: "It needs a place.", tone: "plain", buttons: [], files: [] },
  form: {
    title: "weather",
    command: "skill",
    line: "weather",
    fields: [{ name: "place", label: "A town", required: true, kind: "text" }],
  },
};

test("a submitted form is delivered as its command, in the thread of the request", async () => {
  await using stage = await begun(LACKING);
  const { inbox, server } = stage;
  const { people, workspace } = server;
  await people.command("/skill", "weather").answered;
  const { thread } = await inbox.next();
  await expect.poll(() => workspace.forms.size).toBe(1);
  await people.submit({ place: "Paris" }).answered;
  expect(await inbox.next()).toMatchObject({
    kind: "command",
    name: "skill",
    args: "weather",
    filled: { place: "Paris" },
    thread,
    person: { name: "ana" },
  });
  expect(workspace.ephemerals).toEqual([]);
});

test.each([
  { why: "Slack refuses it", line: "weather", fault: "expired_trigger_id" },
  { why: "it cannot carry what it is for", line: "x".repeat(3_000), fault: null },
  { why: "what is there fits into no field", line: "weather", fault: null, value: "x".repeat(3_500) },
])("if a form cannot be opened because $why, the request is made as text", async ({ line, fault, value = "" }) => {
  if (LACKING.type !== "reply" || LACKING.form === undefined) throw new Error("a form");
  const fields = LACKING.form.fields.map((field) => ({ ...field, value }));
  await using stage = await begun({ ...LACKING, form: { ...LACKING.form, line, fields } });
  const { platform, server } = stage;
  if (fault !== null) server.faults.add("views.open", { kind: "error", error: fault });
  await server.people.command("/skill", "weather").answered;
  await platform.stop();
  expect(server.workspace.ephemerals.map(({ text }) => text)).toEqual(["It needs a place."]);
});

test("Slack's stop button stops the thread's run, and only the person who clicked is notified", async () => {
  await using stage = await begun(reply("⏹ Stopping."));
  const { people, workspace } = stage.server;
  const root = workspace.add({ channel: "C0001", user: "U0ANA", text: "dig" });
  workspace.add({ channel: "C0001", user: workspace.botUserId, text: "⏳ working", threadTs: root.ts });
  await people.event({
    type: "agent_session_stopped",
    channel: "C0001",
    user: "U0ANA",
    thread_ts: root.ts,
    streaming_message_ts: [],
    event_ts: workspace.nextTs(),
  }).answered;
  const thread = { channelId: "C0001", threadId: root.ts };
  expect(await stage.inbox.next()).toMatchObject({ kind: "command", name: "stop", args: "", thread });
  await stage.platform.stop();
  expect(workspace.ephemerals).toMatchObject([{ user: "U0ANA", threadTs: root.ts, text: "⏹ Stopping." }]);
});
