import { expect, test } from "vitest";
import { MOST_OFFERED, TOOL_SEARCH } from "../../../src/core/context/deferred-tools.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import { createToolSearch } from "../../../src/tools/native/tool-search.ts";
import { MemoryJournal } from "../../support/memory-journal.ts";
import { drive, resultTexts, ScriptedModel, scenario, tool, userMessage } from "./query-fixture.ts";

const CATALOGUE = Array.from({ length: MOST_OFFERED + 1 }, (_, number) =>
  tool(`mcp__hub__tool${number}`, { execute: () => Promise.resolve(textResult(`done by ${number}`)) }),
);
const TOOLS = [tool("read"), createToolSearch(() => CATALOGUE), ...CATALOGUE];

const search = { id: "search", name: TOOL_SEARCH, input: { query: "mcp__hub__tool7", limit: 1 } };
const call = { id: "call", name: "mcp__hub__tool7", input: { path: "x" } };

function offered({ requests }: ScriptedModel): string[][] {
  return requests.map(({ tools }) => tools.map(({ name }) => name));
}

const BEFORE = ["read", TOOL_SEARCH];
const AFTER = [...BEFORE, "mcp__hub__tool7"];

test("what a search has found is offered from the next request on, after what was offered before, byte for byte", async () => {
  const model = ScriptedModel.inOrder({ calls: [search] }, { calls: [call] }, { text: "ok" });
  const { query, journal } = scenario({ model, tools: TOOLS });
  await drive(query);
  expect(offered(model)).toEqual([BEFORE, AFTER, AFTER]);
  const [first, second] = model.requests.map(({ tools }) => tools);
  expect(JSON.stringify(second?.slice(0, BEFORE.length))).toBe(JSON.stringify(first));
  expect((await resultTexts(journal)).at(-1)).toBe("done by 7");
});

test("of two searches in one turn the second keeps what the first has found", async () => {
  const another = { id: "another", name: TOOL_SEARCH, input: { query: "mcp__hub__tool9", limit: 1 } };
  const model = ScriptedModel.inOrder({ calls: [search, another] }, { text: "ok" });
  await drive(scenario({ model, tools: TOOLS }).query);
  expect(offered(model)).toEqual([BEFORE, [...AFTER, "mcp__hub__tool9"]]);
});

test("a process that takes the run over offers what the one before had found", async () => {
  const first = scenario({ model: ScriptedModel.inOrder({ calls: [search] }, { text: "ok" }), tools: TOOLS });
  await drive(first.query);
  const { messages } = await first.journal.load();
  const journal = new MemoryJournal([...messages, userMessage("go on", "msg_next")]);
  journal.carried = (name) => first.journal.carried(name);
  const model = ScriptedModel.inOrder({ text: "ok" });
  await drive(scenario({ model, tools: TOOLS, journal }).query);
  expect(offered(model)).toEqual([AFTER]);
});
