import { expect, test } from "vitest";
import type { Capabilities } from "../../../src/core/capabilities.ts";
import { errorResult } from "../../../src/core/protocol/tool-result.ts";
import { drive, ScriptedModel, scenario, tool } from "./query-fixture.ts";

const REACH: Capabilities = {
  files: "write",
  hosts: [],
  clock: true,
  timeoutMs: 60_000,
  memoryMb: 64,
  outputBytes: 1_000,
};

test("each call is logged with its capability and its use of resources", async () => {
  const run = tool("run", {
    permission: "execute",
    capabilities: (_call, { readOnly }) => ({ ...REACH, files: readOnly ? "read" : "write" }),
  });
  const model = ScriptedModel.inOrder(
    {
      calls: [
        { id: "a", name: "run", input: { path: "x" } },
        { id: "b", name: "plain", input: { path: "y" } },
      ],
    },
    { text: "done" },
  );
  const { query, logLines } = scenario({ model, tools: [run, tool("plain")] });
  await drive(query);
  const logged = logLines.filter(({ event }) => event === "tool_call").map(({ fields }) => fields);
  expect(logged).toEqual([
    { tool: "run", callId: "a", durationMs: expect.any(Number), isError: false, approved: true, capabilities: REACH },
    { tool: "plain", callId: "b", durationMs: expect.any(Number), isError: false, approved: false },
  ]);
});

test("a failed call is logged with its cause", async () => {
  const failing = tool("slow", {
    execute: () => Promise.resolve(errorResult("Stopped after 600 s: the call took too long.\nOutput up to then: …")),
  });
  const model = ScriptedModel.inOrder({ calls: [{ id: "a", name: "slow", input: { path: "x" } }] }, { text: "done" });
  const { query, logLines } = scenario({ model, tools: [failing] });
  await drive(query);
  expect(logLines.find(({ event }) => event === "tool_call")?.fields).toMatchObject({
    isError: true,
    why: "Stopped after 600 s: the call took too long. Output up to then: …",
  });
});
