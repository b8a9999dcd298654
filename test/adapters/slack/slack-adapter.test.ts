import { expect, test } from "vitest";
import type { InboundMessage } from "../../../src/core/platform/inbound.ts";
import type { OutgoingMessage } from "../../../src/core/platform/outgoing.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { begin, plainMessage } from "../../contracts/platform-steps.ts";
import { freePort } from "../../support/program/free-port.ts";
import { openSlackHarness, type SlackHarness } from "../../support/slack/slack-harness.ts";

const { signal } = new AbortController();

/** Starts the adapter and a thread of Ana's, and takes the event from the inbox. */
async function openThread(harness: SlackHarness): Promise<{ inbox: Inbox; event: InboundMessage }> {
  const inbox = await begin(harness);
  await harness.mention("hello");
  return { inbox, event: await inbox.nextMessage() };
}

function callsOf(harness: SlackHarness, method: string) {
  return harness.server.calls.filter((call) => call.method === method);
}

test("content of a person who is not served is not read, and people mentioned in it are not looked up", async () => {
  await using harness = await openSlackHarness();
  const platform = harness.adapter({ serves: ({ id }) => id !== harness.personId("ana") });
  const inbox = await begin({ ...harness, platform });
  await harness.mention(`hello ${Array.from({ length: 50 }, (_, at) => `<@U0${at}00>`).join(" ")}`);
  const event = await inbox.nextMessage();
  expect(event).toMatchObject({ person: { id: harness.personId("ana") }, addressed: "mention", text: "", quoted: [] });
  expect(callsOf(harness, "users.info")).toHaveLength(1);
  await harness.mention("and me", { as: "bob" });
  expect(await inbox.nextMessage()).toMatchObject({ text: "and me" });
});

test("a message is not read if a person who is not served reacts to it", async () => {
  await using harness = await openSlackHarness();
  const platform = harness.adapter({ serves: () => false, reactions: ["robot_face"] });
  const inbox = await begin({ ...harness, platform });
  const { people, workspace } = harness.server;
  const message = workspace.add({ channel: "C0001", user: "U0BOB", text: "the deploy started" });
  await people.react(message, "robot_face").answered;
  expect(await inbox.nextMessage()).toMatchObject({ messageId: message.ts, quoted: [], attachments: [] });
  expect(callsOf(harness, "conversations.replies")).toEqual([]);
});

test("a mention comes as two events with one key, and the person is looked up once", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  const said = await harness.mention("hello");
  await said.answered;
  // Slack delivers more than twice if an answer takes too long.
  expect(inbox.events.length).toBeGreaterThanOrEqual(2);
  expect(new Set(inbox.events.map(({ key }) => key))).toEqual(new Set([`slack:T0001:C0001:${said.messageId}`]));
  expect(inbox.fresh).toMatchObject([{ addressed: "mention", text: "hello", channel: { name: "ops" } }]);
  expect(callsOf(harness, "users.info")).toHaveLength(1);
});

test("an app subscribed to app_mention alone answers mentions, also those missing from the text", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  const { workspace, people } = harness.server;
  for (const text of [`<@${workspace.botUserId}> hello`, "hello"]) {
    people.event({ type: "app_mention", channel: "C0001", user: "U0ANA", ts: workspace.nextTs(), text });
    expect(await inbox.nextMessage()).toMatchObject({ addressed: "mention", opensThread: true, text: "hello" });
  }
});

test("null fields count as absent in messages, edits, history and profiles", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  const { people, workspace } = harness.server;
  const nameless = { team_id: null, real_name: null, is_stranger: null, profile: { display_name: null } };
  workspace.users.set("U0ANA", { id: "U0ANA", name: "ana", raw: nameless });
  const nulls = { thread_ts: null, subtype: null, hidden: null, channel_type: null, bot_id: null, edited: null };
  const { ts } = workspace.add({ channel: "D0001", user: "U0ANA", text: "hello", raw: nulls });
  const said = { channel: "D0001", user: "U0ANA", text: "hello", ts, ...nulls };
  people.event({ ...said, type: "message" });
  const asked = await inbox.nextMessage();
  expect(asked).toMatchObject({ addressed: "dm", opensThread: true, text: "hello", person: { name: "ana" } });
  const change = { type: "message", subtype: "message_changed", channel: "D0001", ts: workspace.nextTs() };
  const message = { ...said, text: "hello again", edited: { user: "U0ANA", ts: workspace.nextTs() } };
  await people.event({ ...change, message, previous_message: { ...said, text: null } }).answered;
  expect(inbox.events.at(-1)).toMatchObject({ text: "hello again", edited: "now" });
  const read = await harness.platform.fetchThread(asked.thread, 10, new AbortController().signal);
  expect(read.map(({ text }) => text)).toEqual(["hello"]);
});

test("Slack delivers an event again that was not acknowledged in time", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  const mend = inbox.refuse();
  const said = await harness.mention("hello");
  await inbox.until(() => inbox.events.length >= 2);
  expect(said.isAnswered()).toBe(false);
  mend();
  await said.answered;
  expect(inbox.fresh).toHaveLength(1);
});

test("messages of a thread keep their order, however long looking up an author takes", async () => {
  await using harness = await openSlackHarness();
  const { inbox, event } = await openThread(harness);
  const found = Promise.withResolvers<void>();
  harness.server.faults.add("users.info", { kind: "slow", until: found.promise });
  await harness.reply(event.thread, "first", { as: "bob" });
  await harness.reply(event.thread, "second");
  await harness.mention("elsewhere");
  expect((await inbox.nextMessage()).text).toBe("elsewhere");
  found.resolve();
  expect([(await inbox.nextMessage()).text, (await inbox.nextMessage()).text]).toEqual(["first", "second"]);
});

test("a refusal is shown once, although the mention arrives as two events", async () => {
  await using harness = await openSlackHarness();
  const refused: string[] = [];
  await harness.platform.start((event) => {
    refused.push(event.kind);
    return Promise.resolve({ type: "refused", reason: "Guests may not." });
  }, signal);
  const said = await harness.mention("hello");
  await said.answered;
  await harness.platform.stop();
  expect(refused.length).toBeGreaterThanOrEqual(2);
  expect(await harness.ephemeralsTo("ana")).toEqual(["Guests may not."]);
});

const strangers = [
  { name: "a guest of several channels", user: { isRestricted: true }, isGuest: true, isExternal: false },
  { name: "a guest of one channel", user: { isUltraRestricted: true }, isGuest: true, isExternal: false },
  { name: "a stranger of a shared channel", user: { isStranger: true }, isGuest: false, isExternal: true },
  { name: "a person of another workspace", user: { teamId: "T0002" }, isGuest: false, isExternal: true },
];

test.each(strangers)("$name is recognised", async ({ user, isGuest, isExternal }) => {
  await using harness = await openSlackHarness();
  harness.server.workspace.users.set("U0X", { id: "U0X", name: "xavier", ...user });
  const inbox = await begin(harness);
  harness.server.people.mention({ text: "hello", user: "U0X" });
  const { person } = await inbox.nextMessage();
  expect(person).toEqual({ id: "slack:U0X", name: "xavier", isBot: false, isGuest, isExternal, roles: [] });
});

test("a person hidden by Slack counts as external; nobody counts as a member while Slack is unavailable", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  harness.server.people.mention({ text: "unseen", user: "U0HIDDEN" });
  expect((await inbox.nextMessage()).person).toMatchObject({ name: "U0HIDDEN", isExternal: true });
  harness.server.faults.add("users.info", { kind: "status", status: 500 });
  harness.server.faults.add("users.info", { kind: "error", error: "internal_error" });
  const said = await harness.mention("later");
  expect(await inbox.nextMessage()).toMatchObject({ text: "later", person: { isExternal: false } });
  await said.answered;
});

test("an id does not reveal a private channel's name", async () => {
  await using harness = await openSlackHarness();
  const channel = { kind: "channel", gone: false } as const;
  harness.server.workspace.channels.set("C0HR", { ...channel, id: "C0HR", name: "layoffs", isPrivate: true });
  harness.server.workspace.channels.set("C0WEB", { ...channel, id: "C0WEB", name: "web" });
  const inbox = await begin(harness);
  await harness.mention("what goes on in <#C0HR|> and <#C0WEB|>?");
  expect((await inbox.nextMessage()).text).toBe("what goes on in #C0HR and #web(C0WEB)?");
});

test("a slash command is an event without a thread, and its private reply is the HTTP response", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  inbox.answerWith({ type: "reply", message: plainMessage("3 jobs") });
  const delivery = harness.server.people.command("/jobs", "list --all");
  const event = await inbox.next();
  expect(event).toMatchObject({
    kind: "command",
    name: "jobs",
    args: "list --all",
    key: expect.stringMatching(/^slack:command:trigger\./u),
    thread: { channelId: "C0001", threadId: null },
    channel: { name: "ops" },
    person: { id: "slack:U0ANA" },
  });
  await delivery.answered;
  expect(delivery.response()).toMatchObject({
    response_type: "ephemeral",
    blocks: [{ type: "markdown", text: "3 jobs" }],
  });
});

test("a private file is sent as a direct message, and the answer says so", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  const file = { name: "session.md", mediaType: "text/markdown", data: new TextEncoder().encode("# Session") };
  inbox.answerWith({ type: "reply", message: plainMessage("The session.", { files: [file] }) });
  const delivery = harness.server.people.command("/export", "");
  await inbox.next();
  await delivery.answered;
  await harness.platform.stop();
  const { files, messages } = harness.server.workspace;
  expect([...files.values()].map(({ name, data }) => [name, Buffer.from(data ?? []).toString()])).toEqual([
    ["session.md", "# Session"],
  ]);
  const holder = messages.find((message) => message.files.length > 0);
  expect(harness.server.workspace.channel(holder?.channel ?? "").kind).toBe("im");
  expect(JSON.stringify(delivery.response())).toMatch(/The session\.[\s\S]*session\.md is in our direct messages\./u);
});

test("in a direct message a file for its person is in the thread that asked for it", async () => {
  await using harness = await openSlackHarness();
  await begin(harness);
  const file = { name: "usage-by-day.png", mediaType: "image/png", data: new Uint8Array([1]) };
  const thread = { platform: "slack", workspaceId: "T1", channelId: "D0001", threadId: "1700000000.000100" } as const;
  await harness.platform.postEphemeral(thread, "slack:U0ANA", plainMessage("What it cost.", { files: [file] }));
  const holder = harness.server.workspace.messages.find((message) => message.files.length > 0);
  expect(holder).toMatchObject({ channel: "D0001", threadTs: "1700000000.000100" });
});

test("the reply to a command opens a thread and can be found by its key", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  harness.server.people.command("/agent", "plan");
  const { thread } = await inbox.next();
  const since = Date.now();
  const posted = await harness.platform.post(thread, plainMessage("Here is the plan."), "answer:0");
  expect(await harness.platform.find(thread, "answer:0", since)).toEqual(posted);
  expect(await harness.platform.find(thread, "answer:1", since)).toBeNull();
  const inChannel = await harness.platform.fetchThread(thread, 10, signal);
  expect(inChannel.map(({ text }) => text)).toEqual(["Here is the plan."]);
});

test("a click is keyed by its message and time", async () => {
  await using harness = await openSlackHarness();
  const { inbox, event } = await openThread(harness);
  const buttons: OutgoingMessage["buttons"] = [{ id: "stop:run_1", label: "Stop", style: "danger" }];
  const posted = await harness.platform.post(event.thread, plainMessage("working", { buttons }), "live");
  await harness.click(posted, "stop:run_1");
  expect((await inbox.next()).key).toMatch(new RegExp(`^slack:action:C0001:${posted.messageId}:\\d+\\.\\d+$`, "u"));
});

test("a button on a private answer works in its thread", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  const delivery = harness.server.deliveries.deliver("interactive", {
    type: "block_actions",
    user: { id: "U0BOB" },
    channel: { id: "C0001", name: "ops" },
    container: { type: "message", message_ts: "200.000200", thread_ts: "100.000100", is_ephemeral: true },
    actions: [{ type: "button", action_id: "retry:run_1", action_ts: "300.000300" }],
  });
  expect(await inbox.next()).toMatchObject({
    kind: "action",
    action: "retry:run_1",
    key: "slack:action:C0001:200.000200:300.000300",
    thread: { channelId: "C0001", threadId: "100.000100" },
    person: { id: "slack:U0BOB" },
  });
  await delivery.answered;
});

test("a post is attempted once: lost responses and 5xx are left to the caller, and a 429 delays no other request", async () => {
  await using harness = await openSlackHarness();
  const { event } = await openThread(harness);
  const post = (key: string) => harness.platform.post(event.thread, plainMessage(key), key);
  harness.loseNextPostResponse();
  await expect(post("lost")).rejects.toMatchObject({ code: "network" });
  harness.failNextPost();
  await expect(post("failed")).rejects.toMatchObject({ code: "platform_failed" });
  harness.rateLimitNext("post", 30_000);
  await expect(post("limited")).rejects.toMatchObject({ code: "platform_rate_limited", retryAfterMs: 30_000 });
  await post("fine");
  expect(callsOf(harness, "chat.postMessage").map(({ outcome }) => outcome)).toEqual(["lost", "503", "429", "ok"]);
});

test("a post is found on a later page of a long thread", async () => {
  await using harness = await openSlackHarness();
  const { event } = await openThread(harness);
  const { channelId: channel, threadId: threadTs } = event.thread;
  const since = Date.now();
  for (let n = 0; n < 450; n += 1) harness.server.workspace.add({ channel, threadTs, user: "U0BOB", text: `${n}` });
  const posted = await harness.platform.post(event.thread, plainMessage("the answer"), "answer:0");
  expect(await harness.platform.find(event.thread, "answer:0", since)).toEqual(posted);
  expect(callsOf(harness, "conversations.replies")).toHaveLength(3);
});

/** Buttons, with which a message cannot be the comment of its files. */
const CARD = {
  buttons: [{ id: "retry:run_1", label: "Try again", style: "default" }],
} satisfies Partial<OutgoingMessage>;

test("the files of a card are posted before the card itself", async () => {
  await using harness = await openSlackHarness();
  const { event } = await openThread(harness);
  const files = [{ name: "answer.md", mediaType: "text/markdown", data: new TextEncoder().encode("whole") }];
  await harness.platform.post(event.thread, plainMessage("head", { files, ...CARD }), "answer:0");
  const [, file, head] = await harness.visible(event.thread);
  expect(file?.files.map(({ name }) => name)).toEqual(["answer.md"]);
  expect(head?.text).toBe("head");
});

test("a missing required scope is reported at the start; missing optional scopes are allowed", async () => {
  await using harness = await openSlackHarness();
  harness.server.scopes.delete("files:read");
  await begin(harness);
  harness.server.scopes.delete("users:read");
  await expect(harness.another().start(() => Promise.resolve({ type: "accepted" }), signal)).rejects.toMatchObject({
    code: "missing_scope",
    detail: { scope: "users:read", platform: "Slack" },
  });
});

test("an invalid app token is reported at the start", async () => {
  await using harness = await openSlackHarness();
  const platform = harness.adapter({ mode: { type: "socket", appToken: "xapp-wrong" } });
  await expect(platform.start(() => Promise.resolve({ type: "accepted" }), signal)).rejects.toMatchObject({
    code: "platform_auth",
  });
});

test("while Slack is unreachable the start waits, reports it and can be aborted", async () => {
  await using harness = await openSlackHarness();
  const controller = new AbortController();
  const port = await freePort();
  const platform = harness.adapter({ apiUrl: `http://127.0.0.1:${port}/api/` });
  const start = platform.start(() => Promise.resolve({ type: "accepted" }), controller.signal);
  await expect
    .poll(() => platform.health().detail)
    .toBe(`cannot sign in at 127.0.0.1:${port}, it refuses the connection (ECONNREFUSED)`);
  controller.abort(new Error("shutting down"));
  await expect(start).rejects.toThrow("shutting down");
});

test.each(["user_not_in_channel", "invalid_thread_ts", "restricted_action", "restricted_action_read_only_channel"])(
  "a private answer that the channel refuses (%s) is sent as a direct message",
  async (error) => {
    await using harness = await openSlackHarness();
    const { event } = await openThread(harness);
    harness.server.faults.add("chat.postEphemeral", { kind: "error", error });
    await harness.platform.postEphemeral(event.thread, "slack:U0ANA", plainMessage("between us"));
    expect(harness.server.workspace.messages.at(-1)).toMatchObject({ channel: "D0001", threadTs: null });
  },
);

test("retrying a post after its files were uploaded does not upload them again", async () => {
  await using harness = await openSlackHarness();
  const { event } = await openThread(harness);
  const { server, platform } = harness;
  const data = new TextEncoder().encode("port,9090");
  const message: OutgoingMessage = {
    ...plainMessage("The figures.", CARD),
    files: [{ name: "a.csv", mediaType: "text/csv", data }],
  };
  server.faults.add("chat.postMessage", { kind: "rate_limited", retryAfterS: 1 });
  await expect(platform.post(event.thread, message, "k")).rejects.toMatchObject({ code: "platform_rate_limited" });
  await platform.post(event.thread, message, "k");
  const files = server.workspace.messages.flatMap((each) => each.files.map(({ name }) => name));
  expect(files).toEqual(["a.csv"]);
});

test("files uploaded by a killed process are not uploaded again with their message", async () => {
  await using harness = await openSlackHarness();
  const { event } = await openThread(harness);
  const { server, platform } = harness;
  const file = (name: string, text: string) => {
    return { name, mediaType: "text/csv", data: new TextEncoder().encode(text) };
  };
  const earlier: OutgoingMessage = { ...plainMessage("Before.", CARD), files: [file("a.csv", "port,9090")] };
  await platform.post(event.thread, earlier, "earlier");
  const intentAt = Math.floor(Number(server.workspace.nextTs()) * 1_000);
  server.faults.add("chat.postMessage", { kind: "rate_limited", retryAfterS: 1 });
  const files = [file("a.csv", "port,9090"), file("b.csv", "port,1"), file("b.csv", "port,1")];
  const killed: OutgoingMessage = { ...plainMessage("The figures.", CARD), files: files.slice(0, 2) };
  await expect(platform.post(event.thread, killed, "k")).rejects.toMatchObject({ code: "platform_rate_limited" });

  const next = harness.adapter();
  await next.start(() => Promise.resolve({ type: "accepted" }), signal);
  expect(await next.find(event.thread, "k", intentAt)).toBeNull();
  await next.post(event.thread, { ...killed, files }, "k");
  await next.stop();
  const names = server.workspace.messages.flatMap((each) => each.files.map(({ name }) => name));
  expect(names).toEqual(["a.csv", "a.csv", "b.csv", "b.csv"]);
});

test("an equal file of a later post is not mistaken for that of an interrupted post", async () => {
  await using harness = await openSlackHarness();
  const { event } = await openThread(harness);
  const { server, platform } = harness;
  const data = new TextEncoder().encode("port,9090");
  const figures = (text: string): OutgoingMessage => {
    return { ...plainMessage(text, CARD), files: [{ name: "a.csv", mediaType: "text/csv", data }] };
  };
  const intentAt = Math.floor(Number(server.workspace.nextTs()) * 1_000);
  await platform.post(event.thread, figures("Of another."), "another");

  const next = harness.adapter();
  await next.start(() => Promise.resolve({ type: "accepted" }), signal);
  expect(await next.find(event.thread, "killed", intentAt)).toBeNull();
  await next.post(event.thread, figures("Of the one that was killed."), "killed");
  await next.stop();
  const names = server.workspace.messages.flatMap((each) => each.files.map(({ name }) => name));
  expect(names).toEqual(["a.csv", "a.csv"]);
});
