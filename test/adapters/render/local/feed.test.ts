import { expect, test } from "vitest";
import { createFeed } from "../../../../src/adapters/render/local/feed.ts";
import type { FeedListener } from "../../../../src/adapters/render/local/feed-pages.ts";
import type { MessageBody, ThreadFrame } from "../../../../src/adapters/render/local/wire.ts";
import type { Cluster } from "../../../../src/core/cluster.ts";
import { KeyedMutex } from "../../../../src/core/keyed-mutex.ts";
import { onlyProcess } from "../../../../src/ownership/only-process.ts";
import { FaultyThreadStore } from "../../../support/database/faulty-thread-store.ts";
import { MemoryThreadStore } from "../../../support/database/memory-thread-store.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { silentLog } from "../../../support/silent-log.ts";

const BODY: MessageBody = { by: "deckhand", markdown: "hi", tone: "plain", buttons: [], files: [], signs: [] };

class Page implements FeedListener {
  readonly frames: ThreadFrame[] = [];

  push(frame: ThreadFrame): void {
    this.frames.push(frame);
  }

  close(): void {
    this.frames.length = 0;
  }

  get seqs(): number[] {
    return this.frames.flatMap((frame) => (frame.type === "message" ? [frame.message.seq] : []));
  }

  get threads(): string[] {
    return this.frames.flatMap((frame) => (frame.type === "message" && frame.thread !== null ? [frame.thread.id] : []));
  }
}

/** Two processes on one store that never receive each other's notifications. */
function deafFeeds() {
  const clock = new ManualClock();
  const store = new MemoryThreadStore();
  const cluster: Cluster = { ...onlyProcess({ clock, log: silentLog }), isShared: true, size: () => 2 };
  const feed = () => {
    const made = createFeed({ name: "web:main", store, writes: new KeyedMutex() });
    made.share({ cluster, clock, log: silentLog });
    return made;
  };
  const insert = (by: ReturnType<typeof feed>, id: string, threadId = id) =>
    by.insert({ id, threadId, key: id, fromPerson: false, at: 0, body: BODY }, { title: id });
  return { clock, one: feed(), other: feed(), insert };
}

test("changes by another process are read within a second even without a notification, new threads included", async () => {
  const { clock, one, other, insert } = deafFeeds();
  const page = new Page();
  await one.join(page, () => Promise.resolve());
  await insert(other, "a");
  await other.update("a", (message) => ({ ...BODY, markdown: message.id }));
  expect(page.frames).toEqual([]);
  await clock.advance(1_000);
  expect(page.seqs).toEqual([2]);
  expect(page.threads).toEqual(["a"]);
  // More messages than one read returns. The first one has changed since, so its new version is read last.
  for (let index = 0; index < 250; index += 1) await insert(other, `m${index}`, "a");
  await insert(other, "b");
  await other.update("b", () => BODY);
  await clock.advance(1_000);
  expect(page.seqs.slice(1)).toEqual([...Array.from({ length: 250 }, (_, index) => index + 3), 254]);
  expect(new Set(page.threads)).toEqual(new Set(["a", "b"]));
});

test("local changes are sent once each, after earlier changes of other processes", async () => {
  const { clock, one, other, insert } = deafFeeds();
  const page = new Page();
  await insert(other, "before");
  await one.join(page, () => Promise.resolve());
  await insert(other, "a");
  await insert(one, "b");
  expect(page.seqs).toEqual([2, 3]);
  await insert(one, "c");
  await clock.advance(3_000);
  expect(page.seqs).toEqual([2, 3, 4]);
  one.leave(page);
  await insert(other, "d");
  await clock.advance(3_000);
  expect(page.seqs).toEqual([2, 3, 4]);
});

test("a page that closes before or while it is welcomed causes no query and gets no frame", async () => {
  const { one, other, insert } = deafFeeds();
  const page = new Page();
  const joining = one.join(page, () => Promise.resolve());
  one.leave(page);
  await joining;
  for (let index = 0; index < 250; index += 1) await insert(other, `m${index}`);
  await insert(one, "own");
  let isWelcomed = false;
  await one.join(page, async () => void (isWelcomed = true));
  await insert(one, "more");
  expect(isWelcomed).toBe(false);
  expect(page.frames).toEqual([]);
});

test("other processes are notified of a deleted thread", async () => {
  const told: string[] = [];
  const clock = new ManualClock();
  const publish: Cluster["publish"] = (_topic, about) => Promise.resolve(void told.push(about));
  const cluster: Cluster = { ...onlyProcess({ clock, log: silentLog }), isShared: true, size: () => 2, publish };
  const feed = createFeed({ name: "web:main", store: new MemoryThreadStore(), writes: new KeyedMutex() });
  feed.share({ cluster, clock, log: silentLog });
  const frame: ThreadFrame = { type: "thread", threadId: "a", before: null, messages: null, more: false };
  feed.broadcast(frame);
  expect(told.map((word) => JSON.parse(word))).toEqual([{ name: "web:main", frame }]);
  feed.closeAll();
});

test("a message that was stored without a response is sent before the next change", async () => {
  const store = new FaultyThreadStore();
  const feed = createFeed({ name: "web:main", store, writes: new KeyedMutex() });
  const insert = (id: string) =>
    feed.insert({ id, threadId: "a", key: id, fromPerson: false, at: 0, body: BODY }, { title: "a" });
  const page = new Page();
  await feed.join(page, () => Promise.resolve());
  await insert("a");
  store.nextPost = "loses_response";
  await expect(insert("b")).rejects.toThrow();
  await feed.update("a", () => BODY);
  expect(page.seqs).toEqual([1, 2, 3]);
});
