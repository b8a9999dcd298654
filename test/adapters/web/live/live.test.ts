import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CATCH_UP_CHANGES, FRAME_BYTES, PAGE_MESSAGES } from "../../../../src/adapters/render/local/frame-limits.ts";
import type { WebPlatform } from "../../../../src/adapters/web/adapter.ts";
import { WEB_LIMITS } from "../../../../src/adapters/web/limits.ts";
import { watchSessions } from "../../../../src/adapters/web/live/watched-sessions.ts";
import type { ThreadRef } from "../../../../src/core/platform/thread.ts";
import { Inbox } from "../../../contracts/inbox.ts";
import { plainMessage } from "../../../contracts/platform-steps.ts";
import { CountingLog } from "../../../support/counting-log.ts";
import { MemoryThreadStore } from "../../../support/database/memory-thread-store.ts";
import { PageClient } from "../page-client.ts";
import { entryUrl, NOTHING, openPlatform } from "../web-setup.ts";

const { signal } = new AbortController();

let store: MemoryThreadStore;
let inbox: Inbox;
let platform: WebPlatform;
let page: PageClient;

beforeEach(async () => {
  store = new MemoryThreadStore();
  inbox = new Inbox();
  platform = openPlatform({ store });
  await platform.start(inbox.receive, signal);
  page = await PageClient.open(entryUrl(platform));
  await page.hello();
});

afterEach(() => platform.stop());

function ref(threadId: string | null): ThreadRef {
  return { platform: "web", workspaceId: "local", channelId: "main", threadId };
}

test("what a page has asked to watch is watched no more once it has gone, though its word is read only then", () => {
  const begun: string[] = [];
  const watch = () => {
    begun.push("watch");
    return () => void begun.push("end");
  };
  const looking = { sessions: { watch }, viewer: () => Promise.resolve(null), page: { push: () => {} } };
  const watching = watchSessions(looking);
  watching.watch({ kind: "list" });
  watching.end();
  watching.watch({ kind: "list" });
  expect(begun.filter((what) => what === "watch")).toHaveLength(1);
});

test("a page that cannot be welcomed, as the database is away, is let go: it comes back by itself", async () => {
  store.threads = () => Promise.reject(new Error("the database is away"));
  page.say({ type: "hello", seq: null });
  expect(await page.closed()).toBe(1013);
});

describe("what a page sends", () => {
  test("a message sent again after a lost connection is stored once and keeps its key", async () => {
    const clientId = await page.send("once");
    await page.drop();
    const again = await PageClient.open(entryUrl(platform));
    await again.hello();
    await again.send("once", null, clientId);
    expect(inbox.fresh).toHaveLength(1);
    expect(new Set(inbox.events.map((event) => event.key))).toEqual(new Set([`web:${clientId}`]));
    expect(await again.thread(clientId)).toHaveLength(1);
  });

  test("messages of one page are received in the order they were sent", async () => {
    const first = randomUUID();
    page.say({ type: "send", clientId: first, threadId: null, text: "0", fileIds: [] });
    for (let n = 1; n < 20; n += 1) {
      page.say({ type: "send", clientId: randomUUID(), threadId: first, text: String(n), fileIds: [] });
    }
    await inbox.until(() => inbox.events.length === 20);
    const texts = inbox.events.map((event) => (event.kind === "message" ? event.text : ""));
    expect(texts).toEqual(Array.from({ length: 20 }, (_, n) => String(n)));
  });

  test.each([
    ["no words", { text: "  \n" }, /This message is empty/u],
    ["too many", { text: "a".repeat(WEB_LIMITS.messageChars + 1) }, /longer than/u],
    ["a thread that is gone", { threadId: "gone" }, /thread is gone/u],
    ["a file that never came", { fileIds: ["f"] }, /attachment didn't arrive/u],
  ])("a message with %s is not taken, and the page hears why", async (_case, extra, reason) => {
    const clientId = randomUUID();
    page.say({ type: "send", clientId, threadId: null, text: "hi", fileIds: [], ...extra });
    expect((await page.next("failed", (frame) => frame.id === clientId)).reason).toMatch(reason);
    expect(inbox.events).toEqual([]);
  });

  test("a frame beyond the limit ends the connection, and the server goes on", async () => {
    page.sayRaw("x".repeat(FRAME_BYTES + 1));
    expect(await page.closed()).toBe(1009);
    const next = await PageClient.open(entryUrl(platform));
    await next.send("still there?");
    expect(inbox.events).toHaveLength(1);
  });

  test("a page that floods is cut off", async () => {
    const release = inbox.hold();
    for (let n = 0; n < 200; n += 1) {
      page.say({ type: "send", clientId: randomUUID(), threadId: null, text: "flood", fileIds: [] });
    }
    expect(await page.closed()).toBe(1008);
    release();
  });

  test("a message that the program died over before receiving it comes back as missed", async () => {
    inbox.refuse();
    const clientId = randomUUID();
    page.say({ type: "send", clientId, threadId: null, text: "do not lose me", fileIds: [] });
    expect((await page.next("failed")).id).toBe(clientId);
    const missed = await platform.missed({ since: 0, known: [], signal });
    expect(missed).toMatchObject([{ key: `web:${clientId}`, text: "do not lose me", opensThread: true }]);
    expect(await platform.missed({ since: Date.now() + 1, known: [], signal })).toEqual([]);
  });

  test("a click on a button that is gone is told, and starts nothing", async () => {
    const threadId = await page.send("go");
    const buttons = [{ id: "stop:run_1", label: "Stop", style: "danger" as const }];
    const posted = await platform.post(ref(threadId), plainMessage("working", { buttons }), "live");
    await platform.edit(posted, plainMessage("done"));
    const clickId = randomUUID();
    page.say({ type: "click", clickId, messageId: posted.messageId, action: "stop:run_1" });
    expect((await page.next("failed")).reason).toBe("That button no longer works.");
    expect(inbox.events.filter((event) => event.kind === "action")).toEqual([]);
  });

  test("the private answer to a typed command stays in the thread, once", async () => {
    inbox.answerWith({ type: "reply", message: plainMessage("nothing runs here") });
    const threadId = await page.send("/status");
    await page.send("/status", null, threadId);
    const bodies = (await page.thread(threadId))?.map(({ body }) => `${body.by}: ${body.markdown}`);
    expect(bodies).toEqual(["person: /status", "note: nothing runs here"]);
  });

  test("why a message is not taken stays in its thread as an error, which the terminal tells from an answer", async () => {
    inbox.answerWith({ type: "refused", reason: "Only some people may use me here." });
    const threadId = await page.send("hello");
    const [, note] = (await page.thread(threadId)) ?? [];
    expect(note?.body).toMatchObject({ by: "note", tone: "error", markdown: "Only some people may use me here." });
  });
});

test("a command beside the thread is answered there, and leaves no message in it", async () => {
  const threadId = await page.send("go");
  inbox.answerWith({ type: "reply", message: plainMessage("Taken back.") });
  const clickId = randomUUID();
  page.say({ type: "command", clickId, threadId, name: "approvals", args: "revoke grt_1" });
  expect((await page.next("reply")).body).toMatchObject({ by: "note", markdown: "Taken back." });
  expect(inbox.fresh.at(-1)).toMatchObject({
    kind: "command",
    key: `web:${clickId}`,
    name: "approvals",
    args: "revoke grt_1",
    thread: { threadId },
  });
  expect(await page.thread(threadId)).toHaveLength(1);
});

test("a look that fails is logged, and the person who did not ask for it hears nothing", async () => {
  const log = new CountingLog();
  const away = () => Promise.reject(new Error("the database is away"));
  const jobs = { overview: away, view: away };
  const summaries = { of: () => Promise.resolve(null), busyThreads: () => Promise.resolve(new Map()) };
  const next = openPlatform({ store, log, overview: { ...NOTHING, summaries, jobs } });
  await next.start(inbox.receive, signal);
  const visitor = await PageClient.open(entryUrl(next));
  visitor.say({ type: "look", threadId: null, jobId: null });
  await visitor.hello();
  expect(visitor.frames.map(({ type }) => type)).toEqual(["welcome"]);
  expect(log.warnings).toBe(1);
  await next.stop();
});

test("a page is told when what a feature shows has changed, and reads it when it looks", async () => {
  let standings = [{ line: "⏳ **docs** is not connected yet.", nextAt: null }];
  const watching: (() => void)[] = [];
  const panel = {
    title: "MCP servers",
    lines: () => standings,
    watch: (changed: () => void) => watching.push(changed),
  };
  const next = openPlatform({ store, overview: { ...NOTHING, panels: [panel] } });
  await next.start(inbox.receive, signal);
  const visitor = await PageClient.open(entryUrl(next));
  await visitor.hello();
  standings = [{ line: "✓ **docs** · 3 tools", nextAt: null }];
  for (const changed of watching) changed();
  await visitor.next("changed");
  visitor.say({ type: "look", threadId: null, jobId: null });
  expect((await visitor.next("overview")).panels).toEqual([{ title: "MCP servers", lines: standings }]);
  await next.stop();
});

describe("what a page hears", () => {
  test("posts, edits and signs arrive without being asked for, in order of their numbers", async () => {
    const threadId = await page.send("go");
    const posted = await platform.post(ref(threadId), plainMessage("one"), "k1");
    await platform.edit(posted, plainMessage("two"));
    await platform.react(ref(threadId), threadId, "seen");
    await page.next("message", ({ message }) => message.body.signs.includes("seen"));
    const heard = page.frames.flatMap((frame) => (frame.type === "message" ? [frame.message] : []));
    expect(heard.map(({ body }) => body.markdown)).toEqual(["go", "one", "two", "go"]);
    expect(heard.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(heard.map(({ position }) => position)).toEqual([1, 2, 2, 1]);
  });

  test("a page that was away over a restart catches up with what changed, and only that", async () => {
    const threadId = await page.send("go");
    const posted = await platform.post(ref(threadId), plainMessage("working"), "live");
    await page.next("message", ({ message }) => message.id === posted.messageId);
    await platform.stop();
    const next = openPlatform({ store });
    await next.start(inbox.receive, signal);
    await next.edit(posted, plainMessage("done"));
    await next.post(ref(threadId), plainMessage("the answer"), "answer");
    const back = await PageClient.open(entryUrl(next));
    const welcome = await back.hello(2);
    expect(welcome.changes?.map(({ body }) => body.markdown)).toEqual(["done", "the answer"]);
    expect(welcome.seq).toBe(4);
    await next.stop();
  });

  test("a page that is welcomed while a thread begins hears of it after its welcome", async () => {
    const [asked, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read = store.threads.bind(store);
    store.threads = async (limit) => {
      const threads = await read(limit);
      asked.resolve();
      await told.promise;
      return threads;
    };
    const other = await PageClient.open(entryUrl(platform));
    const welcome = other.hello();
    await asked.promise;
    const posting = platform.post(ref(null), plainMessage("news"), "k");
    // The post is stored in this turn of the event loop, unless it waits for the welcome.
    await Promise.race([posting, new Promise((resolve) => setImmediate(resolve))]);
    told.resolve();
    const { messageId } = await posting;
    expect((await welcome).threads).toEqual([]);
    await other.next("message", ({ message }) => message.id === messageId);
    expect(other.frames.map(({ type }) => type)).toEqual(["welcome", "message"]);
  });

  test.each([
    ["further behind than is worth telling", 0],
    ["in possession of numbers that were never given", 1_000_000],
  ])("a page that is %s starts afresh", async (_case, seq) => {
    const threadId = await page.send("go");
    const posted = await platform.post(ref(threadId), plainMessage("n"), "k");
    for (let n = 0; n < CATCH_UP_CHANGES; n += 1) await platform.post(ref(threadId), plainMessage("n"), `k${n}`);
    await platform.edit(posted, plainMessage("last"));
    const welcome = await page.hello(seq);
    expect(welcome).toMatchObject({ changes: null, seq: CATCH_UP_CHANGES + 3 });
  });

  test("a long thread comes in pages, newest first", async () => {
    const threadId = await page.send("root");
    for (let n = 0; n < PAGE_MESSAGES; n += 1) await platform.post(ref(threadId), plainMessage(`m${n}`), `k${n}`);
    const newest = await page.thread(threadId);
    expect(newest).toHaveLength(PAGE_MESSAGES);
    page.say({ type: "open", threadId, before: newest?.[0]?.position ?? 0 });
    const older = await page.next("thread", (frame) => frame.before !== null);
    expect(older.messages?.map(({ body }) => body.markdown)).toEqual(["root"]);
    expect(older.more).toBe(false);
  });

  test("a post without a thread opens one that is called after it", async () => {
    await platform.post(ref(null), plainMessage("## **Daily report**\n\nAll is well."), "job:1");
    await platform.post(ref(null), plainMessage("## **Daily report**\n\nAll is well."), "job:1");
    expect((await page.threads()).map(({ title }) => title)).toEqual(["Daily report"]);
  });

  test("a thread that is not there is told as such", async () => {
    expect(await page.thread("nowhere")).toBeNull();
  });
});
