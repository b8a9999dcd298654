import { expect, test } from "vitest";
import { standingOf } from "./script.ts";

test("a conversation that is told of its sub-agent's end before it has asked is still its own", () => {
  const begun = { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "agent_id: agt_1" }] };
  const told = { type: "text", text: "[Sub-agent worker (agt_1) has finished.]\nAnswer p27.1. and so on" };
  const messages = [
    { role: "user", content: "This is c27.1, about background." },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "agent", input: {} }] },
    { role: "user", content: [begun, told] },
  ];
  expect(standingOf({ body: { messages } })).toMatchObject({
    who: "c",
    number: 27,
    turn: 1,
    step: 1,
    results: [expect.stringContaining("agt_1")],
  });
});
