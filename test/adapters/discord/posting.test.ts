import { expect, test } from "vitest";
import { withoutMark } from "../../../src/adapters/discord/format.ts";
import type { InboundMessage } from "../../../src/core/platform/inbound.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { failureOf, plainMessage, required } from "../../contracts/platform-steps.ts";
import { type Harbour, openHarbour } from "../../support/discord/harness.ts";
import type { DiscordServerOptions } from "../../support/discord/server.ts";
import { TYPE } from "../../support/discord/world.ts";

const never = new AbortController().signal;
const accept = () => Promise.resolve({ type: "accepted" as const });

async function begun(options: DiscordServerOptions = {}) {
  const harbour = await openHarbour(options);
  const adapter = harbour.adapter();
  const inbox = new Inbox();
  await adapter.start(inbox.receive, never);
  return { harbour, adapter, inbox, [Symbol.asyncDispose]: async () => harbour[Symbol.asyncDispose]() };
}

async function mention(harbour: Harbour, inbox: Inbox, text: string): Promise<InboundMessage> {
  harbour.server.people.say({ channel: harbour.general, user: harbour.ana }, `${harbour.botMention} ${text}`);
  return inbox.nextMessage();
}

function textsIn(harbour: Harbour, channelId: string | null): string[] {
  const messages = harbour.server.world.channels.get(channelId ?? "")?.messages ?? [];
  return messages.filter(({ author }) => author.bot === true).map(({ content }) => withoutMark(content));
}

function requestsOf(harbour: Harbour, kind: string): number {
  return harbour.server.requests.filter((request) => request.kind === kind).length;
}

test("the first post creates the thread, named after the request; later posts use it", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "change port to 9090 in `config.toml`\nplease");
  expect(harbour.server.world.channels.has(required(thread.threadId ?? undefined))).toBe(false);
  const posted = await adapter.post(thread, plainMessage("working"), "live");
  await adapter.post(thread, plainMessage("done"), "answer");
  expect(posted.channelId).toBe(thread.threadId);
  expect(harbour.server.world.channels.get(posted.channelId)).toMatchObject({
    name: "change port to 9090 in config.toml",
    parent_id: harbour.general.id,
    type: TYPE.thread,
  });
  expect(requestsOf(harbour, "thread")).toBe(1);
  expect(harbour.server.requests.every(({ status }) => status < 300)).toBe(true);
});

test("two concurrent posts create one thread", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  await Promise.all([adapter.post(thread, plainMessage("one"), "1"), adapter.post(thread, plainMessage("two"), "2")]);
  expect(textsIn(harbour, thread.threadId).toSorted()).toEqual(["one", "two"]);
});

test("a thread that a person created first is used", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  harbour.server.people.openThread(harbour.general, thread.threadId ?? "", "Ana's own");
  await adapter.post(thread, plainMessage("hi"), "k");
  expect(textsIn(harbour, thread.threadId)).toEqual(["hi"]);
  expect(harbour.server.world.channels.get(thread.threadId ?? "")?.name).toBe("Ana's own");
});

test.each([
  ["before the thread was made", false],
  ["after the thread was made", true],
])("after a process is killed %s, the next one posts into the same thread", async (_name, made) => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "look into **the logs**");
  await adapter.stop();
  if (made) harbour.server.people.openThread(harbour.general, thread.threadId ?? "", "look into the logs");
  const next = harbour.adapter();
  await next.start(accept, never);
  expect(await next.find(thread, "k", Date.now())).toBeNull();
  await next.post(thread, plainMessage("here"), "k");
  expect(textsIn(harbour, thread.threadId)).toEqual(["here"]);
  expect(harbour.server.world.channels.get(thread.threadId ?? "")?.name).toBe("look into the logs");
});

test("a thread is used whose creation succeeded although the response was lost", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  harbour.server.faults.loseNextResponse("thread");
  expect((await failureOf(adapter.post(thread, plainMessage("hi"), "k")))?.code).toBe("network");
  await adapter.post(thread, plainMessage("hi"), "k");
  expect(textsIn(harbour, thread.threadId)).toEqual(["hi"]);
});

test("posting fails with thread_gone if the request was deleted before the first post", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "never mind");
  harbour.general.messages.length = 0;
  await expect(adapter.post(thread, plainMessage("hi"), "k")).rejects.toMatchObject({ code: "thread_gone" });
});

test("a thread that was deleted before the first post is not created again", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  harbour.server.people.deleteThread(harbour.server.people.openThread(harbour.general, thread.threadId ?? ""));
  await mention(harbour, inbox, "something else");
  await expect(adapter.post(thread, plainMessage("hi"), "k")).rejects.toMatchObject({ code: "thread_gone" });
  expect(requestsOf(harbour, "thread")).toBe(0);
});

test("in a channel without threads the answer is posted in the channel itself", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { server, guild, ana, botMention } = harbour;
  const voice = server.world.channel(guild, "stand-up", TYPE.voice);
  server.people.say({ channel: voice, user: ana }, `${botMention} hello`);
  const { thread } = await inbox.nextMessage();
  await adapter.post(thread, plainMessage("hi"), "k");
  expect(textsIn(harbour, voice.id)).toEqual(["hi"]);
});

test("posting reopens an archived thread, also a locked one", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  const posted = await adapter.post(thread, plainMessage("one"), "1");
  const channel = required(harbour.server.world.channels.get(posted.channelId));
  channel.archived = true;
  await adapter.post(thread, plainMessage("two"), "2");
  Object.assign(channel, { archived: true, locked: true });
  await adapter.post(thread, plainMessage("three"), "3");
  channel.archived = true;
  await adapter.edit(posted, plainMessage("one, edited"));
  expect(textsIn(harbour, posted.channelId)).toEqual(["one, edited", "two", "three"]);
});

test("a text file above the size limit is split into several, between lines or characters", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "everything, please");
  const [lines, letters] = ["line\n".repeat(2_500_000), "€".repeat(4_000_000)];
  const files = { "steps.txt": lines, letters };
  const textFiles = Object.entries(files).map(([name, text]) => ({
    name,
    mediaType: "text/plain",
    data: new TextEncoder().encode(text),
  }));
  const posted = await adapter.post(thread, { ...plainMessage("done"), files: textFiles }, "k");
  const sent = harbour.server.world.find(posted.channelId, posted.messageId)?.files ?? [];
  const textOf = (named: string) =>
    sent.filter(({ name }) => name.startsWith(named)).map(({ data }) => new TextDecoder().decode(data));
  expect(sent.map(({ name }) => name)).toEqual(["steps-1.txt", "steps-2.txt", "letters-1", "letters-2"]);
  expect(textOf("steps")[0]?.endsWith("\n")).toBe(true);
  expect([textOf("steps").join("") === lines, textOf("letters").join("") === letters]).toEqual([true, true]);
});

test("files that together exceed a request's size are sent in several requests, each once", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "everything, please");
  const text = "line\n".repeat(6_000_000);
  const file = { name: "steps.txt", mediaType: "text/plain", data: new TextEncoder().encode(text) };
  const message = { ...plainMessage("done"), files: [file] };
  harbour.server.faults.loseNextResponse("post");
  await expect(adapter.post(thread, message, "k"), "which is not known to have been sent").rejects.toThrow();
  const posted = await adapter.post(thread, message, "k");
  const messages = harbour.server.world.channels.get(posted.channelId)?.messages ?? [];
  const sent = messages.filter(({ files }) => files.length > 0);
  expect(sent.map(({ content, files }) => [content.slice(0, 4), files.length])).toEqual([
    ["", 2],
    ["done", 1],
  ]);
  const whole = sent.flatMap(({ files }) => files).map(({ data }) => new TextDecoder().decode(data));
  expect(whole.join("") === text).toBe(true);
  expect(sent.at(-1)?.id).toBe(posted.messageId);
});

test.each<[string, string, "post" | "edit" | "react" | "upload" | "command"]>([
  ["Create Public Threads", "making a thread", "post"],
  ["Send Messages in Threads", "posting", "post"],
  ["View Channel", "a channel it may not see", "post"],
  ["Add Reactions", "reacting", "react"],
  ["Attach Files", "uploading", "upload"],
  ["Manage Threads", "opening a locked thread again", "edit"],
  ["Send Messages", "answering in a channel", "command"],
])("a missing permission %s is explained: %s", async (scope, _what, act) => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread, messageId } = await mention(harbour, inbox, "hello");
  const posted = act === "edit" ? await adapter.post(thread, plainMessage("hi"), "0") : null;
  if (posted !== null) Object.assign(required(harbour.server.world.channels.get(posted.channelId)), { archived: true });
  harbour.server.faults.withheld.add(scope);
  const acts = {
    post: () => adapter.post(thread, plainMessage("hi"), "1"),
    edit: () => adapter.edit(required(posted ?? undefined), plainMessage("ho")),
    react: () => adapter.react(thread, messageId, "seen"),
    upload: () => adapter.upload(thread, { name: "a", mediaType: "text/plain", data: new Uint8Array(1) }, "1"),
    command: () => adapter.post({ ...thread, threadId: null }, plainMessage("hi"), "1"),
  };
  await expect(acts[act]()).rejects.toMatchObject({ name: "PlatformError", code: "missing_scope", detail: { scope } });
});

test("posting again under a key returns the first message while Discord remembers the nonce", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  const first = await adapter.post(thread, plainMessage("the answer"), "k");
  await adapter.stop();
  const next = harbour.adapter();
  await next.start(accept, never);
  expect(await next.post(thread, plainMessage("the answer"), "k")).toEqual(first);
  expect(textsIn(harbour, thread.threadId)).toEqual(["the answer"]);
});

test("a post that discord.js retries after a connection reset appears once", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  harbour.server.faults.loseNextResponse("post", "reset");
  await adapter.post(thread, plainMessage("the answer"), "k");
  expect(requestsOf(harbour, "post")).toBe(2);
  expect(textsIn(harbour, thread.threadId)).toEqual(["the answer"]);
});

test("a post whose nonce has expired is found by its marker among hundreds, by another process", async () => {
  await using test = await begun({ nonceMs: 0, limits: {} });
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  const since = Date.now();
  await adapter.post(thread, plainMessage("working"), "live");
  const channel = required(harbour.server.world.channels.get(thread.threadId ?? ""));
  const chatter = (word: string) => {
    for (let n = 0; n < 150; n += 1) harbour.server.world.message(channel, harbour.bob, { content: `${word} ${n}` });
  };
  chatter("chatter");
  harbour.server.faults.loseNextResponse("post");
  expect((await failureOf(adapter.post(thread, plainMessage("the answer"), "answer")))?.code).toBe("network");
  await adapter.stop();
  chatter("more");
  const next = harbour.adapter();
  await next.start(accept, never);
  const answers = channel.messages.filter(({ content }) => withoutMark(content) === "the answer");
  expect(answers).toHaveLength(1);
  expect(await next.find(thread, "answer", since)).toMatchObject({ messageId: answers[0]?.id });
});

test("a copied marker in another author's message is not recognised as our post", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  const since = Date.now();
  const { channelId, messageId } = await adapter.post(thread, plainMessage("the answer"), "k");
  const channel = required(harbour.server.world.channels.get(channelId));
  const [original] = channel.messages.splice(
    channel.messages.findIndex(({ id }) => id === messageId),
    1,
  );
  harbour.server.people.say({ channel, user: harbour.bob }, required(original).content);
  expect(await adapter.find(thread, "k", since)).toBeNull();
});

test("a burst of posts and edits is paced without a single 429, and all of it arrives", async () => {
  const bucket = { requests: 5, perMs: 400 };
  await using test = await begun({ limits: { global: { requests: 50, perMs: 1_000 }, post: bucket, edit: bucket } });
  const { harbour, adapter, inbox } = test;
  const threads = [await mention(harbour, inbox, "one"), await mention(harbour, inbox, "two")];
  await Promise.all(
    threads.map(async ({ thread }) => {
      const live = await adapter.post(thread, plainMessage("working"), "live");
      const posts = Array.from({ length: 12 }, (_, index) =>
        adapter.post(thread, plainMessage(`part ${index}`), `part ${index}`),
      );
      for (let edit = 0; edit < 12; edit += 1) await adapter.edit(live, plainMessage(`edit ${edit}`));
      await Promise.all(posts);
    }),
  );
  expect(harbour.server.tooManyRequests).toBe(0);
  for (const { thread } of threads) {
    expect(textsIn(harbour, thread.threadId)).toEqual([
      "edit 11",
      ...Array.from({ length: 12 }, (_, index) => `part ${index}`),
    ]);
  }
});

test("a 429 with a long wait is reported instead of waited out", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  harbour.server.faults.rateLimitNext("post", 60_000);
  const failure = await failureOf(adapter.post(thread, plainMessage("hi"), "k"));
  expect(failure?.code).toBe("platform_rate_limited");
  expect(failure?.retryAfterMs).toBeGreaterThanOrEqual(60_000);
});

test.each<[string, unknown]>([
  ["a proxy's page", "<html><title>Error 1015</title>You are being rate limited</html>"],
  ["a ban of the address", { code: 0, message: "You are being blocked from accessing our API temporarily" }],
])("a 429 without a wait time is reported and not retried at once: %s", async (_what, body) => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  await adapter.post(thread, plainMessage("one"), "1");
  for (let time = 0; time < 3; time += 1) harbour.server.faults.refuseNext("post", { status: 429, body });
  const before = requestsOf(harbour, "post");
  expect((await failureOf(adapter.post(thread, plainMessage("two"), "2")))?.code).toBe("platform_rate_limited");
  expect(requestsOf(harbour, "post") - before).toBe(1);
});

test("an HTML page in place of a response is reported as a transient failure", async () => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "hello");
  harbour.server.faults.refuseNext("post", { status: 403, body: "<html>Attention Required</html>" });
  const failure = await failureOf(adapter.post(thread, plainMessage("one"), "1"));
  expect(failure).toMatchObject({
    code: "platform_failed",
    message: "Discord answered 403",
    detail: { refused: "unknown" },
  });
});

test.each([
  [50_035, "Invalid Form Body"],
  [200_001, "Title was blocked by automatic moderation"],
])("a request whose text Discord refuses as a thread name is answered all the same: %i", async (code, message) => {
  await using test = await begun();
  const { harbour, adapter, inbox } = test;
  const { thread } = await mention(harbour, inbox, "why does job 1488 fail");
  harbour.server.faults.refuseNext("thread", { status: 400, body: { code, message } });
  await adapter.post(thread, plainMessage("because"), "1");
  expect(harbour.server.world.channels.get(thread.threadId ?? "")?.name).toBe("Deckhand");
  expect(textsIn(harbour, thread.threadId)).toEqual(["because"]);
});
