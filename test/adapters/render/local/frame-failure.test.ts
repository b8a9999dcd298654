import { expect, test } from "vitest";
import { z } from "zod";
import { createFeed } from "../../../../src/adapters/render/local/feed.ts";
import { createFrameQueue, frameFailure } from "../../../../src/adapters/render/local/frame-session.ts";
import type { MessageBody, PersonFrame } from "../../../../src/adapters/render/local/wire.ts";
import { KeyedMutex } from "../../../../src/core/keyed-mutex.ts";
import { CountingLog } from "../../../support/counting-log.ts";
import { MemoryThreadStore } from "../../../support/database/memory-thread-store.ts";

const body: MessageBody = { by: "person", markdown: "hi", tone: "plain", buttons: [], files: [], signs: [] };
const frame: PersonFrame = { type: "send", clientId: "m", threadId: null, text: "hi", fileIds: [] };

test.each([
  { code: "SQLITE_FULL", says: /^The disk is full, .* until an operator frees space\. Then try again\.$/u },
  { code: "SQLITE_BUSY", says: /^Deckhand couldn't accept this\. Nothing is lost: try again\.$/u },
])("a person whose message could not be stored because of $code is told what to do", async ({ code, says }) => {
  const store = new MemoryThreadStore();
  store.insert = () => Promise.reject(Object.assign(new Error(code), { name: "SqliteError", code }));
  const feed = createFeed({ name: "terminal:main", store, writes: new KeyedMutex() });
  const storing = feed.insert({ id: "m", threadId: "m", key: "m", fromPerson: true, at: 0, body }, null);
  const failure: unknown = await storing.catch((error: unknown) => error);
  expect(frameFailure(frame, failure)).toEqual({ type: "failed", id: "m", reason: expect.stringMatching(says) });
});

test("while a question fails that a page repeats by itself, one line is logged; a person's request is logged each time", async () => {
  const log = new CountingLog();
  const pushed: unknown[] = [];
  const page = { push: (sent: unknown) => void pushed.push(sent), close: () => undefined };
  let isAway = true;
  const take = createFrameQueue({
    page,
    log,
    schema: z.object({ type: z.enum(["look", "send"]) }),
    handle: () => (isAway ? Promise.reject(new Error("the database is away")) : Promise.resolve()),
    failure: ({ type }) => (type === "look" ? null : { type: "rejected", reason: "Try again." }),
  });
  const takeAll = async (...types: string[]) => {
    for (const type of types) take(JSON.stringify({ type }));
    await new Promise(setImmediate);
  };
  await takeAll("look", "look", "look");
  expect(log.warnings).toBe(1);
  await takeAll("send", "send");
  expect(log.warnings).toBe(3);
  expect(pushed).toHaveLength(2);
  isAway = false;
  await takeAll("look");
  isAway = true;
  await takeAll("look", "look");
  expect(log.warnings).toBe(4);
});
