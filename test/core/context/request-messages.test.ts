import { expect, test } from "vitest";
import { dateText, messagesForModel } from "../../../src/core/context/request-messages.ts";
import type { ContentBlock, Message } from "../../../src/core/protocol/messages.ts";

const AT = Date.UTC(2026, 10, 3, 9, 12, 59);
const ana = { id: "slack:U1", name: "ana" };
const origin = { provider: "anthropic", model: "one" };

function user(content: ContentBlock[], more: Partial<Message> = {}): Message {
  return { id: "u", role: "user", content, createdAt: AT, ...more };
}

function assistant(...content: ContentBlock[]): Message {
  return { id: "a", role: "assistant", content, createdAt: AT };
}

test.each([
  { at: AT, text: "Tue 2026-11-03 09:12 UTC" },
  { at: 0, text: "Thu 1970-01-01 00:00 UTC" },
  { at: Date.UTC(2027, 0, 31, 23, 59, 59, 999), text: "Sun 2027-01-31 23:59 UTC" },
])("the date of $at is $text", ({ at, text }) => {
  expect(dateText(at)).toBe(text);
});

const date: ContentBlock = { type: "text", text: "[Tue 2026-11-03 09:12 UTC]" };
const text: ContentBlock = { type: "text", text: "hello" };
const result: ContentBlock = { type: "tool_result", toolUseId: "1", content: [], isError: false };

test.each([
  { name: "a person's message", message: user([text], { author: ana }), sent: [text, date] },
  { name: "a job's prompt", message: user([text]), sent: [text, date] },
  { name: "thread conversation", message: user([text], { author: ana, context: true }), sent: [text] },
  { name: "tool results", message: user([result]), sent: [result] },
  { name: "an assistant's message", message: assistant(text), sent: [text] },
])("$name is sent with its date only when it asks for something", ({ message, sent }) => {
  expect(messagesForModel([message])).toEqual([{ ...message, content: sent }]);
});

test.each<{ name: string; content: ContentBlock[] }>([
  { name: "nothing", content: [] },
  { name: "blank text", content: [{ type: "text", text: "\n" }] },
  { name: "thinking alone", content: [{ type: "thinking", thinking: "hm", origin }] },
  { name: "hidden thinking alone", content: [{ type: "redacted_thinking", data: "x", origin }] },
])("a response that holds $name is left out", ({ content }) => {
  expect(messagesForModel([user([text]), assistant(...content)]).map((message) => message.role)).toEqual(["user"]);
});

test("a response that calls a tool is sent with its thinking", () => {
  const content: ContentBlock[] = [
    { type: "thinking", thinking: "hm", origin },
    { type: "tool_use", id: "1", name: "read", input: {} },
  ];
  expect(messagesForModel([assistant(...content)])).toEqual([assistant(...content)]);
});

const note = (code: string): Message => user([{ type: "system_api_error", code, text: "✗" }]);
const says = (words: string): ContentBlock => ({ type: "text", text: words });
const call: ContentBlock = { type: "tool_use", id: "1", name: "read", input: {} };
const resume: Message = user([says("go on")], { id: "resume_1" });
const turns: readonly { how: string; history: readonly Message[]; sent: readonly string[] }[] = [
  {
    how: "with all that was done for it",
    history: [
      user([says("a")]),
      assistant(says("b")),
      user([says("c")]),
      assistant(call),
      user([result]),
      note("refused"),
    ],
    sent: ["a", "b", "declined"],
  },
  {
    how: "with an answer that was begun, and cut",
    history: [
      user([says("a")]),
      assistant(says("b")),
      resume,
      assistant(says("c")),
      note("refused"),
      user([says("d")]),
    ],
    sent: ["declined", "d"],
  },
  {
    how: "but for what others had said before",
    history: [user([says("a")], { context: true }), user([says("b")]), note("refused")],
    sent: ["a", "declined"],
  },
  {
    how: "each that was",
    history: [
      user([says("a")]),
      note("overloaded"),
      user([says("b")]),
      note("refused"),
      user([says("c")]),
      note("refused"),
    ],
    sent: ["a", "declined", "declined"],
  },
];
test.each(turns)("declined content is left out $how", ({ history, sent }) => {
  const shown = messagesForModel(history).flatMap(({ content }) => content);
  const words = shown.flatMap((block) =>
    block.type === "text" ? [/declined/.exec(block.text)?.[0] ?? block.text] : [],
  );
  expect(words.filter((each) => !each.startsWith("[Tue"))).toEqual(sent);
  expect(shown.filter(({ type }) => type === "tool_use" || type === "tool_result")).toEqual([]);
});
