import { expect, test } from "vitest";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import { MemoryJournal, ProcessDied } from "../../support/database/memory-journal.ts";
import { drive, type Reply, resultTexts, ScriptedModel, scenario, tool, userMessage } from "./query-fixture.ts";

const RESUME =
  "Output token limit hit. Resume directly — no apology, no recap of what you were doing. Pick up mid-thought if that is where the cut happened. Break remaining work into smaller pieces.";

const cut = (text: string): Reply => ({ text, stopReason: "max_tokens" });
const readX = { id: "a", name: "read", input: { path: "x" } };

test("a response cut by max_tokens is resumed by a short user message", async () => {
  const model = ScriptedModel.inOrder(cut("one tw"), { text: "o three" });
  const { query } = scenario({ model });

  const { outcome } = await drive(query);

  expect(outcome).toMatchObject({ type: "end_turn", message: { content: [{ type: "text", text: "one two three" }] } });
  expect(model.requests[1]?.messages.slice(1).map(({ role, content }) => ({ role, content }))).toEqual([
    { role: "assistant", content: [{ type: "text", text: "one tw" }] },
    { role: "user", content: [{ type: "text", text: RESUME }] },
  ]);
});

test.each<{ name: string; replies: Reply[]; outcome: string; text: string; calls: number }>([
  { name: "one cut", replies: [cut("a "), { text: "b" }], outcome: "end_turn", text: "a b", calls: 2 },
  {
    name: "three cuts",
    replies: [cut("a "), cut("b "), cut("c "), { text: "d" }],
    outcome: "end_turn",
    text: "a b c d",
    calls: 4,
  },
  {
    name: "four cuts",
    replies: [cut("a "), cut("b "), cut("c "), cut("d")],
    outcome: "max_tokens",
    text: "a b c d",
    calls: 4,
  },
  {
    name: "a turn with tools between three cuts and three cuts",
    replies: [cut("a "), cut("b "), cut("c "), { calls: [readX] }, cut("d "), cut("e "), cut("f "), { text: "g" }],
    outcome: "end_turn",
    text: "a b c\n\nd e f g",
    calls: 8,
  },
  {
    name: "a turn with tools between three cuts and four cuts",
    replies: [cut("a "), cut("b "), cut("c "), { calls: [readX] }, cut("d "), cut("e "), cut("f "), cut("g")],
    outcome: "max_tokens",
    text: "a b c\n\nd e f g",
    calls: 8,
  },
  {
    name: "a turn with tools before one cut",
    replies: [{ text: "Looking.", calls: [readX] }, cut("a "), { text: "b" }],
    outcome: "end_turn",
    text: "a b",
    calls: 3,
  },
  {
    name: "a cut within a call",
    replies: [{ text: "Now", calls: [{ ...readX, input: {} }], stopReason: "max_tokens" }, { text: "Done." }],
    outcome: "end_turn",
    text: "Now\n\nDone.",
    calls: 2,
  },
])("$name: $outcome, as one reply", async ({ replies, outcome, text, calls }) => {
  const model = ScriptedModel.inOrder(...replies);
  const { query } = scenario({ model, tools: [tool("read")] });

  const first = await drive(query);
  const again = await drive(query);

  const reply = outcome === "end_turn" ? "message" : "partial";
  expect(first.outcome).toMatchObject({ type: outcome, [reply]: { content: [{ type: "text", text }] } });
  expect(again.outcome).toEqual(first.outcome);
  expect(model.requests).toHaveLength(calls);
});

test("a tool call cut by max_tokens is not run, and the model is informed", async () => {
  const executed: string[] = [];
  const execute = async ({ path }: { path: string }) => {
    executed.push(path);
    return textResult(path);
  };
  const model = ScriptedModel.inOrder(
    { calls: [{ ...readX, input: { path: "cut" } }], stopReason: "max_tokens" },
    { calls: [{ ...readX, id: "b", input: { path: "whole" } }] },
    { text: "ok" },
  );
  const { query, journal } = scenario({ model, tools: [tool("read", { execute })] });

  expect((await drive(query)).outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "ok" }] } });
  expect(executed).toEqual(["whole"]);
  expect(await resultTexts(journal)).toEqual(["Not run: the output token limit cut the response off.", "whole"]);
  expect(journal.writes.slice(0, 4)).toEqual(["modelResponded", "callEnded", "toolResults", "resumed"]);
});

test("a response cut in the last allowed turn ends the run by the turn limit", async () => {
  const { query } = scenario({ model: ScriptedModel.inOrder(cut("half")), config: { maxTurns: 1 } });
  expect((await drive(query)).outcome).toMatchObject({
    type: "max_turns",
    turns: 1,
    partial: { content: [{ text: "half" }] },
  });
});

test("a cancel between two parts of a resumed response ends the run", async () => {
  const cancel = new AbortController();
  const { query, journal } = scenario({ model: ScriptedModel.inOrder(cut("half")) });
  const modelResponded = journal.modelResponded.bind(journal);
  journal.modelResponded = async (response) => {
    await modelResponded(response);
    cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));
  };
  expect((await drive(query, cancel.signal)).outcome).toEqual({
    type: "cancelled",
    cause: { by: "person", name: "@ana" },
  });
});

function cutRun() {
  const journal = new MemoryJournal([userMessage("go")]);
  const model = ScriptedModel.byTurn(
    cut("a "),
    { calls: [{ ...readX, input: {} }], stopReason: "max_tokens" },
    cut("b "),
    { text: "c" },
  );
  return { ...scenario({ model, tools: [tool("read")], journal }), model };
}
const uncut = cutRun();
const uncutEnd = await drive(uncut.query);

const points = uncut.journal.writes.flatMap((name, index) =>
  (["before", "after"] as const).map((when) => ({ write: index + 1, when, name })),
);

test.each(points)("killed $when write $write ($name), the parts form the same reply", async (point) => {
  const { query, journal, model } = cutRun();
  journal.crashAt(point);
  await expect(drive(query)).rejects.toThrow(ProcessDied);
  journal.restart();

  const { outcome } = await drive(query);

  expect(outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "a\n\nb c" }] } });
  expect(uncutEnd.outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "a\n\nb c" }] } });
  expect(journal.writes).toEqual(uncut.journal.writes);
  expect(model.requests).toHaveLength(point.name === "modelResponded" && point.when === "before" ? 5 : 4);
});
