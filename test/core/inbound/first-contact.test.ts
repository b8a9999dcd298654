import { expect, test } from "vitest";
import { createFirstContact } from "../../../src/core/inbound/first-contact.ts";
import type { OutgoingMessage, PostedMessage } from "../../../src/core/platform/outgoing.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import { describePlatform } from "../../../src/platforms.ts";
import { intakeOptions, mention } from "./intake-fixture.ts";

const POSTED: PostedMessage = { platform: "slack", channelId: "C1", messageId: "1.1" };

interface Staged {
  there?: PostedMessage | null;
  fails?: number;
  admins?: readonly string[];
}

async function stage({ there = null, fails = 0, admins = ["slack:U9"] }: Staged = {}) {
  const { options } = await intakeOptions();
  const posts: { thread: ThreadRef; message: OutgoingMessage; key: string }[] = [];
  let failing = fails;
  const target = {
    find: () => Promise.resolve(there),
    post: (thread: ThreadRef, message: OutgoingMessage, key: string) => {
      failing -= 1;
      if (failing >= 0) return Promise.reject(new Error("the connection broke"));
      posts.push({ thread, message, key });
      return Promise.resolve(POSTED);
    },
  };
  const open = ({ isShared }: { isShared: boolean } = { isShared: false }) =>
    createFirstContact({
      ...options,
      cluster: { isShared },
      admins,
      platform: (name) => ({ ...target, descriptor: describePlatform(name) }),
    });
  return { options, posts, open };
}

test("several processes together greet a channel once", async () => {
  const { posts, open } = await stage();
  const first = open();
  await Promise.all([first.greet(mention("hi")), first.greet(mention("hi"))]);
  await open().greet(mention("hi"));
  expect(posts.map(({ thread }) => thread.threadId)).toEqual([null]);
  expect(posts[0]?.message.markdown.split("\n")).toHaveLength(3);
});

test("a process leaves a greeting to another one that is about to post it", async () => {
  const { posts, open, options } = await stage();
  const key = "first-contact:slack:C1";
  const at = options.runtime.clock.now();
  await options.store.transaction((tx) => tx.posts.intend({ key, runId: "", sessionId: "", at }));
  await open({ isShared: true }).greet(mention("hi"));
  expect(posts).toEqual([]);
  await open().greet(mention("hi"));
  expect(posts).toHaveLength(1);
});

test("without admins, only the first person greeted is told how to become one", async () => {
  const { posts, open } = await stage({ admins: [] });
  await open().greet(mention("hi"));
  await open().greet({ ...mention("hi"), thread: { ...mention("hi").thread, channelId: "C2" } });
  const asked = posts.map(({ message }) => message.markdown.split("\n")[3]);
  expect(asked).toEqual([expect.stringContaining('`"access": { "admins": ["slack:U1"] }`'), undefined]);
});

test.each([
  { what: "did not land is said again", there: null, posted: 1 },
  { what: "landed is found", there: POSTED, posted: 0 },
])("a greeting that was interrupted and $what", async ({ there, posted }) => {
  const { posts, open, options } = await stage({ there, fails: 1 });
  await open().greet(mention("hi"));
  expect(posts).toEqual([]);
  await open().greet(mention("hi"));
  expect(posts).toHaveLength(posted);
  expect((await options.store.posts.get("first-contact:slack:C1"))?.state).toBe("sent");
});

test("a first message in direct messages is greeted if there is no session yet", async () => {
  const { open } = await stage();
  const contact = open();
  const dm = { id: "D1", name: "direct message", kind: "dm" } as const;
  const direct = mention("hi", { channel: dm, addressed: "dm" });
  expect(await contact.isFirstWord(direct)).toBe(true);
  expect(await contact.isFirstWord(mention("hi"))).toBe(false);
  const web = { ...direct, thread: { ...direct.thread, platform: "web" } } as const;
  expect(await contact.isFirstWord(web)).toBe(false);
});
