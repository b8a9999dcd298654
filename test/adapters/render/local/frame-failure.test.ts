import { expect, test } from "vitest";
import { createFeed } from "../../../../src/adapters/render/local/feed.ts";
import { frameFailure } from "../../../../src/adapters/render/local/frame-session.ts";
import type { MessageBody, PersonFrame } from "../../../../src/adapters/render/local/wire.ts";
import { KeyedMutex } from "../../../../src/core/keyed-mutex.ts";
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
