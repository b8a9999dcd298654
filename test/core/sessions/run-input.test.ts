import { expect, test } from "vitest";
import { SLACK_LIMITS } from "../../../src/adapters/slack/limits.ts";
import { skillCatalogue } from "../../../src/core/context/skills.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import type { ThreadMessage, ThreadRef } from "../../../src/core/protocol/platform.ts";
import { messagesOf, type RunInputOptions } from "../../../src/core/sessions/run-input.ts";
import type { StoredEvent } from "../../../src/core/sessions/session-event.ts";
import { countingIds } from "../../support/runtime.ts";

const THREAD: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "0" };
const ASKED_AT = 100;
const ANA = { id: "slack:U1", name: "ana" };

function said(at: number, text: string, isBot = false): ThreadMessage {
  return { messageId: String(at), text, at, author: { id: isBot ? "slack:U0BOT" : "slack:U1", name: "ana", isBot } };
}

const asked: StoredEvent = {
  seq: 1,
  sessionId: "ses_1",
  key: "slack:1",
  body: {
    kind: "message",
    author: { id: "slack:U1", name: "ana" },
    text: "help",
    quoted: [],
    attachments: [],
    thread: THREAD,
    messageId: String(ASKED_AT),
    at: ASKED_AT,
    addressed: true,
    joinsThread: true,
  },
};

function options(thread: readonly ThreadMessage[]): RunInputOptions {
  return {
    platform: {
      fetchThread: (_thread, limit) => Promise.resolve([...thread.slice(0, 1), ...thread.slice(1 - limit)]),
      fetchFile: () => Promise.reject(new Error("no file was attached")),
      limits: SLACK_LIMITS,
    },
    ids: countingIds(),
    signal: new AbortController().signal,
    saveAttachment: () => Promise.resolve(null),
    notice: () => {},
    skills: () => skillCatalogue([], []),
    runCommand: () => Promise.reject(new Error("no command was typed")),
  };
}

test("a session begun in a thread gets its root and the newest messages before its own, and nothing that came since", async () => {
  const remarks = Array.from({ length: 40 }, (_, index) => said(index + 1, `remark ${index}`));
  const since = [said(ASKED_AT + 1, "⏳ build · turn 1", true), said(ASKED_AT + 2, "one more thing")];
  const all = [said(0, "the root"), ...remarks, said(ASKED_AT, "help"), ...since];
  const messages = await messagesOf(asked, options(all));
  expect(messages.map(({ content }) => textOf(content))).toEqual([
    "the root",
    ...remarks.slice(-19).map(({ text }) => text),
    "help",
  ]);
});

test.each([
  { isMemory: true, content: [{ type: "user_memory_input", text: "[To keep in mind] use tabs" }], author: ANA },
  { isMemory: false, content: [{ type: "text", text: "use tabs" }], author: undefined },
])("a note, kept in mind for a person: $isMemory, is that person's words, or ours", async ({ isMemory, ...read }) => {
  const body = { kind: "note", by: ANA, text: "use tabs", at: 0, isMemory } as const;
  const [message] = await messagesOf({ ...asked, body }, options([]));
  expect({ content: message?.content, author: message?.author }).toEqual(read);
});
