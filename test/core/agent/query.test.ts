import { expect, test } from "vitest";
import { runQuery } from "../../../src/core/agent/query.ts";
import { toolUsesOf } from "../../../src/core/protocol/messages.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import { MemoryJournal } from "../../support/database/memory-journal.ts";
import { CALL_COST_USD, drive, ScriptedModel, scenario, tool, USAGE, userMessage } from "./query-fixture.ts";

test("a plain answer costs one model request and ends the run", async () => {
  const model = ScriptedModel.inOrder({ text: "It is 9090." });
  const { query, journal } = scenario({ model });

  const { events, outcome } = await drive(query);

  expect(model.requests).toHaveLength(1);
  expect(events).toEqual([
    { type: "turn_start", turn: 1 },
    { type: "token", text: "It " },
    { type: "token", text: "is " },
    { type: "token", text: "9090." },
    { type: "turn_end" },
  ]);
  expect(outcome).toMatchObject({
    type: "end_turn",
    message: { role: "assistant", content: [{ type: "text", text: "It is 9090." }] },
  });
  expect(journal.writes).toEqual(["modelResponded"]);
  expect(journal.responses).toMatchObject([{ turn: 1, usage: USAGE, costUsd: CALL_COST_USD }]);
});

test("a run of several turns emits events in order and journals each step before its event", async () => {
  const model = ScriptedModel.inOrder(
    { text: "Looking.", calls: [{ id: "a", name: "read", input: { path: "x" } }] },
    { text: "Done." },
  );
  const { query, journal, clock } = scenario({
    model,
    tools: [
      tool("read", {
        execute: async () => {
          await clock.advance(7);
          return textResult("content of x");
        },
      }),
    ],
  });
  const writesBefore = new Map<string, number>();

  const { events, outcome } = await drive(query, undefined, (event) => {
    writesBefore.set(event.type, journal.writes.length);
  });

  expect(events.map((event) => event.type)).toEqual([
    "turn_start",
    "token",
    "tool_start",
    "tool_end",
    "turn_end",
    "turn_start",
    "token",
    "turn_end",
  ]);
  expect(events[2]).toEqual({ type: "tool_start", toolId: "a", toolName: "read", input: { path: "x" }, title: "x" });
  expect(events[3]).toMatchObject({ type: "tool_end", toolId: "a", durationMs: 7, result: { isError: false } });
  expect(journal.writes).toEqual(["modelResponded", "callBegun", "callEnded", "toolResults", "modelResponded"]);
  expect(writesBefore.get("tool_start")).toBe(2);
  expect(writesBefore.get("tool_end")).toBe(3);
  expect(outcome.type).toBe("end_turn");
  expect((await journal.load()).usage).toMatchObject({ inputTokens: 200, outputTokens: 20 });
});

test("a request carries the system prompt, the tools by name, the history with its date, and the cache key", async () => {
  const model = ScriptedModel.inOrder({ text: "ok" });
  const { query } = scenario({
    model,
    tools: [tool("write", { permission: "write" }), tool("read"), tool("bash", { permission: "execute" })],
    agent: { access: "read-only", temperature: 0.2 },
    config: { maxTokens: 100_000, effortLevel: "high", thinkingBudget: 3_000 },
  });

  await drive(query);

  expect(model.requests[0]).toEqual({
    model: "one",
    system: [{ text: "system", cacheBreakpoint: true }],
    tools: [
      {
        name: "read",
        description: "does read",
        inputSchema: {
          type: "object",
          properties: { path: { type: "string" } },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ],
    messages: [
      {
        ...userMessage("go"),
        content: [
          { type: "text", text: "go" },
          { type: "text", text: "[Thu 1970-01-01 00:00 UTC]" },
        ],
      },
    ],
    maxTokens: 64_000,
    temperature: 0.2,
    effortLevel: "high",
    thinkingBudget: 3_000,
    cacheKey: "web:C1",
  });
});

test("earlier messages are sent again byte-identically, so that the prefix can be cached", async () => {
  const calls = (id: string) => [{ id, name: "read", input: { path: id } }];
  const model = ScriptedModel.byTurn({ calls: calls("a") }, { calls: calls("b") }, { text: "ok" });
  const { query } = scenario({ model, tools: [tool("read")] });

  await drive(query);

  const sent = model.requests.map((request) => JSON.stringify(request.messages).slice(0, -1));
  expect(sent).toHaveLength(3);
  expect(sent[1]?.startsWith(sent[0] ?? "missing")).toBe(true);
  expect(sent[2]?.startsWith(sent[1] ?? "missing")).toBe(true);
});

test("messages that people send during the run enter before the next model call", async () => {
  const model = ScriptedModel.byTurn({ calls: [{ id: "a", name: "read", input: { path: "x" } }] }, { text: "ok" });
  const journal = new MemoryJournal([userMessage("go")]);
  const { query } = scenario({
    model,
    journal,
    tools: [
      tool("read", {
        execute: async () => {
          journal.arrives(userMessage("use port 9091", "msg_steering"), "web:2");
          return textResult("x");
        },
      }),
    ],
  });

  const { events } = await drive(query);

  expect(events.filter((event) => event.type === "steered")).toEqual([{ type: "steered", eventKeys: ["web:2"] }]);
  const types = events.map((event) => event.type);
  expect(types.indexOf("steered")).toBe(types.lastIndexOf("turn_start") + 1);
  expect(model.requests[1]?.messages.map((message) => message.content[0]?.type)).toEqual([
    "text",
    "tool_use",
    "tool_result",
    "text",
  ]);
  expect(model.requests[1]?.messages.at(-1)?.content[0]).toEqual({ type: "text", text: "use port 9091" });
});

test("the cost is unknown, not zero, as soon as one price is unknown", async () => {
  const { query, journal } = scenario({ model: ScriptedModel.inOrder({ text: "ok" }), price: null });
  await drive(query);
  expect((await journal.load()).costUsd).toBeNull();
  expect(journal.responses[0]).toMatchObject({ costUsd: null, model: "scripted/one", usage: USAGE });
});

test("tool call ids that the session already contains are replaced", async () => {
  const call = { name: "read", input: { path: "x" } };
  const model = ScriptedModel.byTurn(
    {
      calls: [
        { id: "call_0", ...call },
        { id: "call_0", ...call },
        { id: "", ...call },
      ],
    },
    { calls: [{ id: "call_0", ...call }] },
    { text: "ok" },
  );
  const { query, journal } = scenario({ model, tools: [tool("read")] });

  const { outcome } = await drive(query);

  const { messages, toolsRun } = await journal.load();
  const ids = messages.flatMap((message) => toolUsesOf(message.content)).map((use) => use.id);
  expect(outcome.type).toBe("end_turn");
  expect(toolsRun).toBe(4);
  expect(new Set(ids).size).toBe(4);
  expect(ids.every((id) => id !== "")).toBe(true);
});

test("leaving the event loop stops the model's stream", async () => {
  let left = false;
  const model = new ScriptedModel(() => ({ text: "one two three" }));
  const original = model.createMessageStream.bind(model);
  model.createMessageStream = async function* (request, signal) {
    try {
      yield* original(request, signal);
    } finally {
      left = true;
    }
  };
  const { query } = scenario({ model });

  for await (const event of runQuery(query, new AbortController().signal)) if (event.type === "token") break;

  expect(left).toBe(true);
});
