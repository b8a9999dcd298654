import { expect, test } from "vitest";
import { runQuery } from "../../../src/core/agent/query.ts";
import { DefectError, SandboxError } from "../../../src/core/protocol/errors.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import type { ToolContext } from "../../../src/core/tool.ts";
import {
  aborted,
  drive,
  type Reply,
  resultTexts,
  type Scenario,
  ScriptedModel,
  scenario,
  tool,
} from "./query-fixture.ts";

type Call = NonNullable<Reply["calls"]>[number];

function callsThen(...calls: readonly Call[]): ScriptedModel {
  return ScriptedModel.byTurn({ calls }, { text: "ok" });
}

function mustNotRun(): never {
  throw new Error("the tool was run");
}

interface Refused extends Partial<Scenario> {
  readonly name: string;
  readonly call: Omit<Call, "id">;
  readonly says: RegExp;
}

const refused: readonly Refused[] = [
  {
    name: "an unknown tool",
    call: { name: "reed", input: {} },
    says: /^Unknown tool: reed\. Available: read, write\.$/,
  },
  { name: "a missing field", call: { name: "read", input: {} }, says: /^- path: .*expected string/m },
  {
    name: "a field of the wrong type",
    call: { name: "read", input: { path: 7 } },
    says: /^- path: .*expected string/m,
  },
  { name: "an unknown field", call: { name: "read", input: { path: "x", lines: 3 } }, says: /^- input: .*"lines"/m },
  {
    name: "invalid JSON",
    call: { name: "read", input: {}, invalidJson: '{"path": "x' },
    says: /not valid JSON.*Received: \{"path": "x$/,
  },
  {
    name: "a tool beyond the agent's role",
    call: { name: "write", input: { path: "x" } },
    agent: { name: "plan", access: "read-only" },
    says: /^The tool write is not available: agent plan has the access role read-only\.$/,
  },
  {
    name: "a tool beyond the mode",
    call: { name: "write", input: { path: "x" } },
    config: { mode: "read" },
    says: /^The tool write is not available in read mode/,
  },
  {
    name: "a tool that the operator has not enabled",
    call: { name: "write", input: { path: "x" } },
    config: { toolAllow: ["read"] },
    says: /^The tool write is not enabled here\.$/,
  },
];

test.each(refused)("$name is refused with a result that tells the model why", async ({ call, says, ...given }) => {
  const model = callsThen({ id: "a", ...call });
  const tools = [tool("read", { execute: mustNotRun }), tool("write", { permission: "write", execute: mustNotRun })];
  const { query, journal } = scenario({ model, tools, ...given });

  const { events, outcome } = await drive(query);

  const [text] = await resultTexts(journal);
  expect(text).toMatch(says);
  expect(journal.writes).not.toContain("callBegun");
  expect(events.find((event) => event.type === "tool_end")).toMatchObject({ toolId: "a", result: { isError: true } });
  expect(outcome.type).toBe("end_turn");
});

test("refused calls get their results first, allowed calls still run, and results keep the order of the calls", async () => {
  const model = callsThen(
    { id: "a", name: "read", input: { path: "1" } },
    { id: "b", name: "nothing" },
    { id: "c", name: "read", input: { path: "3" } },
  );
  const { query, journal } = scenario({ model, tools: [tool("read")] });

  const { events } = await drive(query);

  expect(events.flatMap((event) => (event.type === "tool_end" ? [event.toolId] : []))).toEqual(["b", "a", "c"]);
  expect(await resultTexts(journal)).toEqual(["read 1", "Unknown tool: nothing. Available: read.", "read 3"]);
});

test("parallel calls run concurrently, other calls run alone", async () => {
  const model = callsThen(
    { id: "r1", name: "read", input: { path: "1" } },
    { id: "r2", name: "read", input: { path: "2" } },
    { id: "w", name: "write", input: { path: "3" } },
    { id: "r4", name: "read", input: { path: "4" } },
  );
  const steps: string[] = [];
  const gates = new Map(["1", "2", "3", "4"].map((path) => [path, Promise.withResolvers<void>()]));
  const begun = new Map(["1", "2", "3", "4"].map((path) => [path, Promise.withResolvers<void>()]));
  const execute = async ({ path }: { path: string }) => {
    steps.push(`${path} begins`);
    begun.get(path)?.resolve();
    await gates.get(path)?.promise;
    steps.push(`${path} ends`);
    return textResult(path);
  };
  const { query, journal } = scenario({
    model,
    tools: [tool("read", { execute }), tool("write", { permission: "write", parallel: false, execute })],
  });

  const run = drive(query);
  await Promise.all([begun.get("1")?.promise, begun.get("2")?.promise]);
  gates.get("2")?.resolve();
  gates.get("1")?.resolve();
  await begun.get("3")?.promise;
  gates.get("3")?.resolve();
  await begun.get("4")?.promise;
  gates.get("4")?.resolve();
  await run;

  expect(steps).toEqual(["1 begins", "2 begins", "2 ends", "1 ends", "3 begins", "3 ends", "4 begins", "4 ends"]);
  expect(await resultTexts(journal)).toEqual(["1", "2", "3", "4"]);
});

test("events of concurrent calls are emitted as they happen", async () => {
  const slow = Promise.withResolvers<void>();
  const model = callsThen(
    { id: "slow", name: "read", input: { path: "slow" } },
    { id: "fast", name: "read", input: { path: "fast" } },
  );
  const execute = async ({ path }: { path: string }, ctx: ToolContext) => {
    if (path === "slow") {
      ctx.queued(2);
      await slow.promise;
    }
    return textResult(path);
  };
  const { query } = scenario({ model, tools: [tool("read", { execute })] });

  const { events } = await drive(query, undefined, (event) => {
    // The slow call ends only after the end of the fast one was shown.
    if (event.type === "tool_end" && event.toolId === "fast") slow.resolve();
  });

  const told = events.flatMap((event) => ("toolId" in event ? [`${event.type} ${event.toolId}`] : []));
  expect(told).toEqual(["tool_start slow", "tool_queued slow", "tool_start fast", "tool_end fast", "tool_end slow"]);
});

test("a tool's failure is a result, and a defect's reference is in the result and in the log", async () => {
  const failures: Record<string, Error> = {
    bug: new TypeError("undefined is not a function"),
    defect: new DefectError("cannot be"),
    sandbox: new SandboxError("sandbox_limit", "killed", { detail: { name: "grep", limit: "60 s" } }),
  };
  const model = callsThen(...Object.keys(failures).map((path) => ({ id: path, name: "read", input: { path } })));
  const { query, journal, logLines } = scenario({
    model,
    tools: [tool("read", { execute: async ({ path }) => Promise.reject(failures[path]) })],
  });

  const { outcome } = await drive(query);

  const [bug, defect, sandbox] = await resultTexts(journal);
  expect(bug).toMatch(/^Internal error \(code [2-9A-Z]{5}\)/);
  expect(defect).toMatch(/^Internal error \(code [2-9A-Z]{5}\)/);
  expect(sandbox).toBe("✗ grep · stopped at 60 s");
  const logged = logLines.filter((line) => line.event === "tool_failed");
  expect(logged).toHaveLength(3);
  expect(logged[0]?.fields).toMatchObject({ tool: "read", callId: "bug", ref: /code (\w+)/.exec(bug ?? "")?.[1] });
  expect(outcome.type).toBe("end_turn");
});

test.each([
  { name: "longest", text: "y".repeat(100_000), expected: /^y{100000}$/ },
  { name: "empty", text: "", expected: /^\(no output\)$/ },
  { name: "blank", text: " \n", expected: /^\(no output\)$/ },
])("the $name result reaches the model complete and never blank", async ({ text, expected }) => {
  const model = callsThen({ id: "a", name: "read", input: { path: "x" } });
  const { query, journal } = scenario({ model, tools: [tool("read", { execute: async () => textResult(text) })] });
  await drive(query);
  expect((await resultTexts(journal))[0]).toMatch(expected);
});

test("a result over the limit is cut visibly and never within a character", async () => {
  const model = callsThen({ id: "a", name: "read", input: { path: "x" } });
  const text = `${"y".repeat(99_999)}😀${"z".repeat(50_000)}`;
  const { query, journal } = scenario({ model, tools: [tool("read", { execute: async () => textResult(text) })] });
  await drive(query);

  const [kept, note] = await resultTexts(journal);
  expect(kept).toBe("y".repeat(99_999));
  expect(note).toBe(
    "[Cut here: 50001 of 150001 characters are left out. Ask for less, with narrower arguments or in parts.]",
  );
});

test("a call knows the file states that earlier calls left", async () => {
  const seen: [string, string][][] = [];
  const states: Record<string, string | null> = { a: "hash-1", b: "hash-2", gone: null };
  const execute = async ({ path }: { path: string }, ctx: ToolContext) => {
    seen.push([...ctx.knownFiles]);
    const sha256 = states[path] ?? null;
    return textResult(path, { files: [{ path: sha256 === null ? "a" : path, sha256, action: "wrote" }] });
  };
  const model = callsThen(
    ...["a", "b", "gone", "b"].map((path, i) => ({ id: `${i}`, name: "write", input: { path } })),
  );
  const { query, journal } = scenario({
    model,
    tools: [tool("write", { permission: "write", parallel: false, execute })],
  });

  await drive(query);

  expect(seen).toEqual([
    [],
    [["a", "hash-1"]],
    [
      ["a", "hash-1"],
      ["b", "hash-2"],
    ],
    [["b", "hash-2"]],
  ]);
  expect((await journal.load()).changedFiles).toEqual(["a", "b"]);
});

test.each([
  { access: "full", mode: "write", readOnly: false },
  { access: "full", mode: "read", readOnly: true },
  { access: "read-only", mode: "write", readOnly: true },
  { access: "search-only", mode: "agi", readOnly: true },
] as const)("a call of a $access agent in $mode mode has readOnly $readOnly", async ({ access, mode, readOnly }) => {
  let context: ToolContext | null = null;
  const execute = async (_input: { path: string }, ctx: ToolContext) => {
    context = ctx;
    return textResult("x");
  };
  const model = callsThen({ id: "a", name: "read", input: { path: "x" } });
  const { query } = scenario({ model, tools: [tool("read", { execute })], agent: { access }, config: { mode } });

  await drive(query);

  expect(context).toMatchObject({ readOnly, callId: "a", runId: "run_1", channelKey: "web:C1" });
});

test("leaving the event loop while calls run stops them and waits for their end", async () => {
  const ended: string[] = [];
  const execute = async ({ path }: { path: string }, _ctx: ToolContext, signal: AbortSignal) => {
    try {
      return await aborted(signal);
    } finally {
      ended.push(path);
    }
  };
  const model = callsThen(
    { id: "a", name: "read", input: { path: "1" } },
    { id: "b", name: "read", input: { path: "2" } },
  );
  const { query, journal } = scenario({ model, tools: [tool("read", { execute })] });

  for await (const event of runQuery(query, new AbortController().signal)) {
    if (event.type === "tool_start" && event.toolId === "b") break;
  }

  expect(ended).toEqual(["1", "2"]);
  expect(journal.writes).not.toContain("callEnded");
});
