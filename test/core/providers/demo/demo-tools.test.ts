import { expect, test } from "vitest";
import { toJSONSchema } from "zod";
import type { Message } from "../../../../src/core/protocol/messages.ts";
import { textOf, toolUsesOf } from "../../../../src/core/protocol/messages.ts";
import { createDemoProvider } from "../../../../src/core/providers/demo/demo-provider.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { said, user } from "../../../support/talk/conversation.ts";
import { type FileSession, fileSession, useSandbox } from "../../../tools/file-session.ts";

const sandbox = useSandbox();

interface Played {
  readonly modelCalls: number;
  readonly answer: string;
}

/** Runs the demo model with the real tools until it answers. */
async function play(session: FileSession, words: string): Promise<Played> {
  const demo = createDemoProvider(systemRuntime());
  const names = ["read", "edit", "write", "glob", "grep", "js_exec"];
  const tools = names.map((name) => {
    const { description, input } = session.tool(name);
    return { name, description, inputSchema: { ...toJSONSchema(input, { io: "input" }) } };
  });
  const messages: Message[] = [user(words)];
  for (let modelCalls = 1; modelCalls <= 5; modelCalls++) {
    const request = { model: "scripted", system: [], messages, tools, maxTokens: 1_000 };
    const { content } = await demo.createMessage(request, new AbortController().signal);
    const [call] = toolUsesOf(content);
    if (call === undefined) return { modelCalls, answer: textOf(content) };
    const input = typeof call.input === "object" && call.input !== null ? call.input : {};
    const result = await session.run(call.name, input);
    const block = {
      type: "tool_result",
      toolUseId: call.id,
      content: result.content,
      isError: result.isError,
    } as const;
    messages.push(said("assistant", content), said("user", [block]));
  }
  return { modelCalls: 5, answer: "" };
}

const files: readonly { file: string; before: string; words: string; after: string }[] = [
  {
    file: "config.toml",
    before: 'name = "app"\nport = 8080\n',
    words: "change port to 9090 in config.toml",
    after: 'name = "app"\nport = 9090\n',
  },
  {
    file: "windows.ini",
    before: "[a]\r\nport=1\r\n[b]\r\nport=1\r\n",
    words: "change b.port to 2 in windows.ini",
    after: "[a]\r\nport=1\r\n[b]\r\nport=2\r\n",
  },
  {
    file: ".env.example",
    before: "\uFEFFDEBUG=false\n",
    words: "set DEBUG=true in .env.example",
    after: "\uFEFFDEBUG=true\n",
  },
  {
    file: "app.yaml",
    before: "server:\n  port: 8080\n",
    words: "set server.port to 9090 in app.yaml",
    after: "server:\n  port: 9090\n",
  },
  {
    file: "package.json",
    before: '{ "name": "a", "port": 1 }\n',
    words: "change name to b in package.json",
    after: '{ "name": "b", "port": 1 }\n',
  },
];
test.each(files)(
  "$words: three model calls, and the file is really changed",
  async ({ file, before, words, after }) => {
    const session = fileSession(sandbox);
    session.put(file, before);
    const { modelCalls, answer } = await play(session, words);
    expect(session.bytes(file).toString("utf8")).toBe(after);
    expect(modelCalls).toBe(3);
    expect(answer).toContain("Done:");
  },
);

const requests: readonly { words: string; says: string }[] = [
  { words: "list files", says: "src/main.ts" },
  { words: "show src/main.ts", says: "// TODO: all of it" },
  { words: "search for TODO", says: "src/main.ts:1:" },
  { words: "run: [1,2,3].map(x=>x*x)", says: "1,4,9" },
  { words: "show missing.txt", says: "I could not read `missing.txt`" },
  { words: "change port to 1 in src/main.ts", says: "found no `port`" },
];
test.each(requests)("$words: the answer shows what the tool found", async ({ words, says }) => {
  const session = fileSession(sandbox);
  session.put("src/main.ts", "// TODO: all of it\n");
  const { answer } = await play(session, words);
  expect(answer.replaceAll(/\s*([[\],])\s*/g, "$1")).toContain(says.replaceAll(/\s*([[\],])\s*/g, "$1"));
});

test("a file that is asked for is there", async () => {
  const session = fileSession(sandbox);
  const { modelCalls } = await play(session, "create notes/today.txt with hello");
  expect(session.bytes("notes/today.txt").toString("utf8")).toBe("hello\n");
  expect(modelCalls).toBe(2);
});

test("a setting behind the part that was read is not said to be missing from the file", async () => {
  const session = fileSession(sandbox);
  session.put("long.ini", `${Array.from({ length: 5_000 }, (_, line) => `k${line}=1`).join("\n")}\nport=1\n`);
  expect((await play(session, "change port to 2 in long.ini")).answer).toContain("in the first part of `long.ini`");
});
