import { expect, test } from "vitest";
import { endlessRepeat } from "../../../src/core/budget/repeated-calls.ts";
import { resultsOf } from "../../../src/core/context/projection.ts";
import type { Message, ToolResultContent } from "../../../src/core/protocol/messages.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import { drive, resultTexts, ScriptedModel, scenario, tool, userMessage } from "../agent/query-fixture.ts";

/** A model that always calls with the input that `inputOf` gives. */
function calling(inputOf: (call: number) => unknown): ScriptedModel {
  return new ScriptedModel((_request, call) => ({
    calls: [{ id: `call-${call}`, name: "read", input: inputOf(call) }],
  }));
}

test("the third identical call in a row gets a hint, the fifth ends the run", async () => {
  const model = calling(() => ({ path: "x" }));
  const { query, journal } = scenario({ model, tools: [tool("read", { execute: async () => textResult("same") })] });
  const { outcome } = await drive(query);
  expect(outcome).toMatchObject({ type: "error", error: { code: "repeating", detail: { name: "read", times: "5" } } });
  expect(model.requests).toHaveLength(5);
  const hint = (times: number) =>
    `[This call has returned the same result ${times} times in a row. Try something else, or end your turn and say what is missing.]`;
  expect(await resultTexts(journal)).toEqual(["same", "same", "same", hint(3), "same", hint(4), "same", hint(5)]);
  const parts = (await journal.load()).messages.flatMap(resultsOf).flatMap(({ content }) => content);
  expect(parts.filter((part) => part.type === "text" && part.isAdded === true)).toMatchObject(
    [3, 4, 5].map((times) => ({ text: hint(times) })),
  );
});

test.each<{ name: string; inputOf: (call: number) => unknown; resultOf: (call: number) => string }>([
  { name: "other arguments", inputOf: (call) => ({ path: `x${call}` }), resultOf: () => "same" },
  { name: "other results", inputOf: () => ({ path: "x" }), resultOf: (call) => `result ${call}` },
  { name: "another call between", inputOf: (call) => ({ path: String(call % 3) }), resultOf: () => "same" },
])("calls with $name do not count as a loop", async ({ inputOf, resultOf }) => {
  let calls = 0;
  const execute = async () => textResult(resultOf(calls++));
  const { query } = scenario({ model: calling(inputOf), tools: [tool("read", { execute })], config: { maxTurns: 8 } });
  expect((await drive(query)).outcome).toEqual({ type: "max_turns", turns: 8 });
});

function turn(number: number, content: ToolResultContent[] = []): Message[] {
  const id = `c${number}`;
  const use = { type: "tool_use" as const, id, name: "read", input: {} };
  const result = { type: "tool_result" as const, toolUseId: id, content, isError: false };
  return [
    { id: `a${number}`, role: "assistant", content: [use], createdAt: 0 },
    { id: `r${number}`, role: "user", content: [result], createdAt: 0 },
  ];
}

test.each([
  { name: "in one run", between: [], turns: 5, isCircle: true },
  { name: "over two runs", between: [], turns: 3, isCircle: false },
  { name: "with a person's words between", between: [userMessage("again")], turns: 5, isCircle: false },
])("five identical calls $name count as a loop: $isCircle", ({ between, turns, isCircle }) => {
  const messages = [...turn(1), ...turn(2), ...between, ...[3, 4, 5].flatMap((number) => turn(number))];
  expect(endlessRepeat({ messages, turns }) !== null).toBe(isCircle);
});

const earlier = "[The same call has had the same result 4 times in a row. Stop.]";
test.each<{ name: string; added: ToolResultContent; isCircle: boolean }>([
  { name: "a hint in other words", added: { type: "text", text: "Try otherwise.", isAdded: true }, isCircle: true },
  { name: "an older hint, known by its words", added: { type: "text", text: earlier }, isCircle: true },
  { name: "a text of the tool", added: { type: "text", text: "Try otherwise." }, isCircle: false },
])("with $name in one result, five identical calls count as a loop: $isCircle", ({ added, isCircle }) => {
  const messages = [1, 2, 3, 4, 5].flatMap((number) => turn(number, number === 4 ? [added] : []));
  expect(endlessRepeat({ messages, turns: 5 }) !== null).toBe(isCircle);
});
