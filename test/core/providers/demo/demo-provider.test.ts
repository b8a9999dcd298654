import { expect, test } from "vitest";
import type { Message } from "../../../../src/core/protocol/messages.ts";
import { textOf, toolUsesOf } from "../../../../src/core/protocol/messages.ts";
import { createDemoProvider } from "../../../../src/core/providers/demo/demo-provider.ts";
import type { ToolSpec } from "../../../../src/core/providers/provider.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { results, said, user } from "../../../support/talk/conversation.ts";

const tools: readonly ToolSpec[] = ["read", "edit", "write", "glob", "grep", "js_exec"].map((name) => ({
  name,
  description: name,
  inputSchema: { type: "object" },
}));
const never = new AbortController().signal;

async function next(messages: readonly Message[], offered = tools) {
  const demo = createDemoProvider(systemRuntime());
  return demo.createMessage({ model: "scripted", system: [], messages, tools: offered, maxTokens: 1_000 }, never);
}

interface Turn {
  readonly tool: string;
  readonly input: unknown;
}

/** Plays a conversation with the given results until the demo answers. */
async function play(
  words: string,
  answers: readonly { text: string; isError?: boolean }[],
  before: readonly Message[] = [],
) {
  const messages: Message[] = [...before, user(words)];
  const turns: Turn[] = [];
  for (const answer of [...answers, null]) {
    const response = await next(messages);
    const [call] = toolUsesOf(response.content);
    messages.push(said("assistant", response.content));
    if (call === undefined) return { turns, answer: textOf(response.content), messages };
    turns.push({ tool: call.name, input: call.input });
    if (answer === null) break;
    messages.push(results({ id: call.id, ...answer }));
  }
  return { turns, answer: null, messages };
}

test("a value is changed in three model calls: read, edit, answer", async () => {
  const { turns, answer } = await play("change port to 9090 in config.toml", [
    { text: '1\tname = "app"\n2\tport = 8080' },
    { text: "Edited config.toml" },
  ]);
  expect(turns).toEqual([
    { tool: "read", input: { path: "config.toml" } },
    { tool: "edit", input: { path: "config.toml", old_string: "port = 8080", new_string: "port = 9090" } },
  ]);
  expect(answer).toContain("`port` in `config.toml` is now `9090` (it was `8080`)");
});

const honest: readonly {
  what: string;
  words: string;
  answers: readonly { text: string; isError?: boolean }[];
  says: string;
}[] = [
  {
    what: "a file that is not there",
    words: "change port to 1 in no.toml",
    answers: [{ text: "no.toml does not exist", isError: true }],
    says: "no.toml does not exist",
  },
  {
    what: "a key that is not there",
    words: "change port to 1 in a.toml",
    answers: [{ text: "1\tname = 1" }],
    says: "found no `port`",
  },
  {
    what: "a denied edit",
    words: "change port to 1 in a.toml",
    answers: [{ text: "1\tport = 2" }, { text: "Denied by Ana.", isError: true }],
    says: "Denied by Ana.",
  },
  {
    what: "an edit that a person did not allow",
    words: "change port to 1 in a.toml",
    answers: [
      { text: "1\tport = 2" },
      {
        text: "Not run: @ana denied it. Do not try to do the same another way; continue without it, or ask.",
        isError: true,
      },
    ],
    says: "I did not change `a.toml`: @ana denied it. Nothing was changed",
  },
  {
    what: "a command that nobody decided on",
    words: "run: ls",
    answers: [{ text: "Not run: nobody decided within 60 minutes. Continue without it, and say so.", isError: true }],
    says: "I did not run it: nobody decided within 60 minutes.",
  },
  { what: "an empty search", words: "search for TODO", answers: [{ text: "" }], says: "There is nothing." },
  {
    what: "a program that fails",
    words: "run: x",
    answers: [{ text: "ReferenceError: x", isError: true }],
    says: "ReferenceError: x",
  },
];
test.each(honest)("$what is told plainly", async ({ words, answers, says }) => {
  expect((await play(words, answers)).answer).toContain(says);
});

const calls: readonly { words: string; tool: string; input: object }[] = [
  { words: "list files", tool: "glob", input: { pattern: "**/*" } },
  { words: "show config.toml", tool: "read", input: { path: "config.toml" } },
  { words: "search for a.b", tool: "grep", input: { pattern: "a\\.b", output_mode: "content" } },
  { words: "create a.txt with hello", tool: "write", input: { path: "a.txt", content: "hello\n" } },
  { words: "run: 1 + 1", tool: "js_exec", input: { code: "1 + 1" } },
];
test.each(calls)("“$words” calls $tool, and its result is shown", async ({ words, tool, input }) => {
  const { turns, answer } = await play(words, [{ text: "some ``` result" }]);
  expect(turns).toEqual([{ tool, input }]);
  expect(answer).not.toBeNull();
  if (tool !== "write") expect(answer).toContain("````\nsome ``` result\n````");
});

test("a line of shell goes to bash where it is offered, JavaScript never does", async () => {
  const withShell = [...tools, { name: "bash", description: "bash", inputSchema: { type: "object" } }];
  const called = async (words: string, offered: readonly ToolSpec[]) => {
    const [call] = toolUsesOf((await next([user(words)], offered)).content);
    return [call?.name, call?.input];
  };
  expect(await called("run: ls -la | head", withShell)).toEqual(["bash", { command: "ls -la | head" }]);
  expect(await called("run: ls -la | head", tools)).toEqual(["js_exec", { code: "ls -la | head" }]);
  expect(await called("run: 1 + 1", withShell)).toEqual(["js_exec", { code: "1 + 1" }]);
});

test("a file with a setting leads to what can be tried next", async () => {
  const { answer } = await play("create config.toml with port = 8080", [{ text: "Created config.toml." }]);
  expect(answer).toContain("Done: `config.toml` is there. Next, try `change port to 9090 in config.toml`.");
});

test("a tool that is not offered is named instead of called", async () => {
  const response = await next(
    [user("run: 1 + 1")],
    tools.filter(({ name }) => name !== "js_exec"),
  );
  expect(response.stopReason).toBe("end_turn");
  expect(textOf(response.content)).toContain("`js_exec`");
});

test("the first answer of a session says what is speaking, later ones do not", async () => {
  const first = await play("hello", []);
  expect(first.answer).toContain("scripted demo model");
  const second = await play("list files", [{ text: "a.txt" }], first.messages);
  expect(second.answer).not.toContain("scripted demo model");
});

test("words that it does not know lead to what it can do, and how to get a real model", async () => {
  const { answer } = await play("write me a poem", []);
  expect(answer).toContain("change port to 9090 in config.toml");
  expect(answer).toContain("ANTHROPIC_API_KEY");
});

test("the newest request counts, whatever text stands beside it, and thread conversation does not", async () => {
  const newest = said("user", [
    { type: "text", text: "show b.txt" },
    { type: "text", text: "[Sat 2026-11-21 09:00 UTC]" },
  ]);
  const aside = user("list files", { context: true, author: { id: "slack:U2", name: "Ben" } });
  const [call] = toolUsesOf((await next([user("show a.txt"), newest, aside])).content);
  expect(call?.input).toEqual({ path: "b.txt" });
});

test("it streams in small pieces, ends once, costs an estimate of tokens, and stops when told", async () => {
  const demo = createDemoProvider(systemRuntime());
  const request = { model: "scripted", system: [], messages: [user("help")], tools, maxTokens: 1_000 };
  const pieces: string[] = [];
  let ends = 0;
  for await (const event of demo.createMessageStream(request, never)) {
    if (event.type === "text") pieces.push(event.text);
    if (event.type !== "end") continue;
    ends += 1;
    expect(pieces.join("")).toBe(textOf(event.response.content));
    expect(event.response.usage.outputTokens).toBeGreaterThan(0);
  }
  expect(ends).toBe(1);
  expect(pieces.length).toBeGreaterThan(10);
  const stopping = new AbortController();
  const events = demo.createMessageStream(request, stopping.signal)[Symbol.asyncIterator]();
  await events.next();
  stopping.abort(new Error("stopped by a person"));
  await expect(events.next()).rejects.toThrow("stopped by a person");
});
