import { expect, test } from "vitest";
import type { PendingCall } from "../../../src/core/agent/approval-service.ts";
import { TOOL_SEARCH, USE_TOOL } from "../../../src/core/permissions/finders.ts";
import { type ToolUseBlock, textOf, toolUsesOf } from "../../../src/core/protocol/messages.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import { createToolSearch } from "../../../src/tools/native/tool-search.ts";
import { createUseTool } from "../../../src/tools/native/use-tool.ts";
import { MemoryJournal } from "../../support/database/memory-journal.ts";
import { drive, type Reply, resultTexts, ScriptedModel, scenario, tool, userMessage } from "./query-fixture.ts";

const DEFERRED = Array.from({ length: 12 }, (_, number) =>
  tool(`hub_tool${number}`, {
    deferred: { about: `does part ${number}` },
    execute: ({ path }) => Promise.resolve(textResult(`${path} by ${number}`)),
  }),
);
const WRITER = tool("hub_write", { deferred: { about: "writes" }, permission: "write" });
const CATALOGUE = [...DEFERRED, WRITER];
const TOOLS = [tool("read"), createToolSearch(() => CATALOGUE), createUseTool(), ...CATALOGUE];
const OFFERED = ["read", TOOL_SEARCH, USE_TOOL];

const search = { id: "search", name: TOOL_SEARCH, input: { query: "hub_tool7", limit: 1 } };

function through(input: unknown, id = "call"): { id: string; name: string; input: unknown } {
  return { id, name: USE_TOOL, input };
}

const call = through({ name: "hub_tool7", input: { path: "x" } });

/** Tool calls in the history that a model request carries. */
function callsIn(model: ScriptedModel, request: number): ToolUseBlock[] {
  return (model.requests[request]?.messages ?? []).flatMap(({ content }) => toolUsesOf(content));
}

async function lived(...replies: readonly Reply[]) {
  const model = ScriptedModel.inOrder(...replies, { text: "ok" });
  const scene = scenario({ model, tools: TOOLS });
  return { model, ...scene, ...(await drive(scene.query)) };
}

test("a tool search describes how to call a tool, and the request's tool list stays byte-identical", async () => {
  const { model, journal } = await lived({ calls: [search] }, { calls: [call] });
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([OFFERED, OFFERED, OFFERED]);
  expect(new Set(model.requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
  const [told, done] = await resultTexts(journal);
  expect(told).toContain('hub_tool7: does hub_tool7\nInput: {"type":"object","properties":{"path":');
  expect(done).toBe("x by 7");
});

test("a use_tool call is treated as a call of the target tool everywhere but in the model's history", async () => {
  const { model, events, journal, logLines } = await lived({ calls: [call] });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "tool_start", toolName: "hub_tool7", input: { path: "x" }, title: "x" }),
  );
  expect(logLines).toContainEqual({ event: "tool_call", fields: expect.objectContaining({ tool: "hub_tool7" }) });
  const { messages } = await journal.load();
  expect(messages.flatMap(({ content }) => toolUsesOf(content))).toMatchObject([
    { id: "call", name: "hub_tool7", input: { path: "x" } },
  ]);
  expect(callsIn(model, 1)).toEqual([{ type: "tool_use", ...call }]);
});

test("a deferred tool that is called directly by its name runs", async () => {
  const { journal, model } = await lived({ calls: [{ id: "call", name: "hub_tool3", input: { path: "y" } }] });
  expect(await resultTexts(journal)).toEqual(["y by 3"]);
  expect(callsIn(model, 1)).toMatchObject([{ name: "hub_tool3" }]);
});

test("approvals show the target tool, its input and its title", async () => {
  const asked: unknown[] = [];
  const model = ScriptedModel.inOrder(
    { calls: [through({ name: "hub_write", input: { path: "z" } })] },
    { text: "ok" },
  );
  const approvals = {
    asked: async () => [],
    verdicts: async (_turn: number, calls: readonly PendingCall[]) => {
      asked.push(
        ...calls.map(({ use, tool: asking }) => ({
          name: asking.name,
          input: use.input,
          title: asking.title(use.input),
        })),
      );
      return new Map(calls.map(({ use }) => [use.id, { type: "denied" as const, reason: "Not run: no." }]));
    },
  };
  const { query, journal } = scenario({ model, tools: TOOLS, approvals });
  await drive(query);
  expect(asked).toEqual([{ name: "hub_write", input: { path: "z" }, title: "z" }]);
  expect(await resultTexts(journal)).toEqual(["Not run: no."]);
});

test.each([
  { config: { mode: "read" as const }, tells: "The tool hub_write is not available in read mode" },
  { config: { toolAllow: ["read", "hub_tool1"] }, tells: "The tool hub_write is not enabled here." },
])("mode and tool lists apply to the target tool: $tells", async ({ config, tells }) => {
  const model = ScriptedModel.inOrder(
    { calls: [through({ name: "hub_write", input: { path: "z" } })] },
    { text: "ok" },
  );
  const { query, journal } = scenario({ model, tools: TOOLS, config });
  await drive(query);
  expect((await resultTexts(journal))[0]).toContain(tells);
});

test("if few deferred tools remain, they are described in full instead of searched", async () => {
  const model = ScriptedModel.inOrder({ text: "ok" });
  await drive(scenario({ model, tools: TOOLS, config: { toolAllow: ["read", "hub_tool1"] } }).query);
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["hub_tool1", "read"]);
});

const LONG = "x".repeat(200_000);

test.each([
  { what: "a text that holds an object", input: '{"path":"t"}', tells: "t by 7", shown: "hub_tool7" },
  {
    what: "a text that holds none",
    input: "{path: t",
    tells: "The input of hub_tool7 is not valid JSON",
    shown: "hub_tool7",
  },
  { what: "a number", input: 7, tells: "The input of hub_tool7 is not valid JSON", shown: "hub_tool7" },
  {
    what: "nothing",
    input: undefined,
    tells: "does not match its schema, so it was not run.\n- path: ",
    shown: "hub_tool7",
  },
  {
    what: "what the schema does not take",
    input: { other: 1 },
    tells: 'Its schema: {"type":"object"',
    shown: "hub_tool7",
  },
  { what: "200 KB", input: { path: LONG }, tells: LONG.slice(0, 90_000), shown: "hub_tool7" },
  { what: "200 KB of text", input: LONG, tells: `Received: ${LONG.slice(0, 500)}…`, shown: "hub_tool7" },
])("an input that is $what is validated as the target tool's", async ({ input, tells, shown }) => {
  const { events, journal, model } = await lived({ calls: [through({ name: "hub_tool7", input })] });
  expect((await resultTexts(journal))[0]).toContain(tells);
  expect(events.flatMap((event) => (event.type === "tool_end" ? [event.toolName] : []))).toEqual([shown]);
  expect(callsIn(model, 1).map(({ name }) => name)).toEqual([USE_TOOL]);
});

test.each([
  { what: "itself", input: { name: USE_TOOL, input: { name: "hub_tool7" } }, tells: "use_tool does not call itself" },
  { what: "nothing", input: {}, tells: "- name: " },
  { what: "what is no name", input: { name: "rm -rf /" }, tells: "- name: must be the name of a tool" },
  { what: "200 KB", input: { name: LONG }, tells: "- name: must be the name of a tool" },
  { what: "a number", input: { name: 7 }, tells: "- name: " },
  {
    what: "a tool that is not there",
    input: { name: "hub_tool", input: {} },
    tells:
      "Unknown tool: hub_tool. Did you mean hub_tool0 or hub_tool1 or hub_tool10? Available: read, tool_search, use_tool.",
  },
])("use_tool that names $what is refused with a helpful message", async ({ input, tells }) => {
  const { journal, outcome } = await lived({ calls: [through(input)] });
  expect((await resultTexts(journal))[0]).toContain(tells);
  expect(outcome.type).toBe("end_turn");
});

test("a run taken over between call and result continues with the target tool", async () => {
  const journal = new MemoryJournal([userMessage("go")]);
  const script = () => ScriptedModel.byTurn({ calls: [search] }, { calls: [call] }, { text: "ok" });
  journal.crashAt({ write: 5, when: "after" });
  await expect(drive(scenario({ model: script(), tools: TOOLS, journal }).query)).rejects.toThrow();
  journal.restart();
  const model = script();
  await drive(scenario({ model, tools: TOOLS, journal }).query);
  expect((await resultTexts(journal)).at(-1)).toBe("x by 7");
  expect(callsIn(model, model.requests.length - 1).map(({ name }) => name)).toEqual([TOOL_SEARCH, USE_TOOL]);
  expect(textOf((await journal.load()).messages.at(-1)?.content ?? [])).toBe("ok");
});

test("a skill's allowed tools apply to the target tool, and the search finds only those", async () => {
  const skill = tool("skill", { execute: async () => textResult("Use the first.", { narrowsTo: ["hub_tool1"] }) });
  const model = ScriptedModel.inOrder(
    { calls: [{ id: "skill", name: "skill", input: { path: "x" } }] },
    {
      calls: [
        { ...search, input: { query: "hub_tool1 hub_tool7" } },
        through({ name: "hub_tool1", input: { path: "a" } }, "one"),
        through({ name: "hub_tool7", input: { path: "b" } }, "seven"),
      ],
    },
    { text: "ok" },
  );
  const { query, journal } = scenario({ model, tools: [...TOOLS, skill] });
  await drive(query);
  const [, found, one, seven] = await resultTexts(journal);
  expect(found).toContain("hub_tool1: does hub_tool1");
  expect(found).not.toContain("hub_tool7");
  expect(one).toBe("a by 1");
  expect(seven).toMatch(/^Not run: the skill you follow allows only these tools: hub_tool1\. If hub_tool7 is/u);
});
