import { expect, test } from "vitest";
import { withServedAuthors } from "../../../src/core/permissions/served-authors.ts";
import type { ChatPlatform, ThreadMessage } from "../../../src/core/platform/chat-platform.ts";
import type { Person, ThreadRef } from "../../../src/core/platform/thread.ts";

const THREAD: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" };
const EVERYBODY = { admins: [], deny: [], guests: false, external: false };
const ANA: Person = { id: "slack:U1", name: "ana", isBot: false, isGuest: false, isExternal: false, roles: [] };
const { signal } = new AbortController();

const authorOf = async (member: (() => Promise<Person | null>) | undefined, access: object, isBot = false) => {
  const message: ThreadMessage = { messageId: "1", author: { id: ANA.id, name: "ana", isBot }, text: "hi", at: 0 };
  const fetchThread: ChatPlatform["fetchThread"] = () => Promise.resolve([message]);
  const platform = { fetchThread, ...(member === undefined ? {} : { member }) };
  const [read] = await withServedAuthors(platform, { ...EVERYBODY, ...access }).fetchThread(THREAD, 1, signal);
  return read?.author;
};
const as = (more: Partial<Person>) => () => Promise.resolve({ ...ANA, ...more });

test.each<[string, boolean, (() => Promise<Person | null>) | undefined, object]>([
  ["a member", true, as({}), {}],
  ["somebody of a platform that knows nothing of people", true, undefined, {}],
  ["a guest", false, as({ isGuest: true }), {}],
  ["a guest where guests are served", true, as({ isGuest: true }), { guests: true }],
  ["somebody of another workspace", false, as({ isExternal: true }), {}],
  ["somebody who has left", false, () => Promise.resolve(null), {}],
  ["somebody of whom the platform tells nothing now", false, () => Promise.reject(new Error("away")), {}],
  ["somebody who is denied", false, as({}), { deny: [ANA.id] }],
  ["somebody whose role is denied", false, as({ roles: ["discord:role:1"] }), { deny: ["discord:role:1"] }],
  ["somebody beside those who are allowed", false, as({}), { allow: ["slack:U2"] }],
  ["somebody who is allowed", true, as({}), { allow: [ANA.id] }],
])("%s counts as served: %s", async (...[, expected, member, access]) => {
  expect((await authorOf(member, access))?.isServed).toBe(expected);
});

test("a bot is not served, whatever its platform knows of it", async () => {
  expect((await authorOf(as({}), { admins: [ANA.id] }, true))?.isServed).toBe(false);
});

test("authors have the platform's current display names, as in messages to the agent", async () => {
  expect(await authorOf(as({ name: "Captain Ana" }), {})).toMatchObject({ name: "Captain Ana" });
});
