import { expect, test } from "vitest";
import { runQuery } from "../../../src/core/agent/query.ts";
import type { QueryEnd } from "../../../src/core/protocol/events.ts";
import { CancelSignal, SuspendSignal } from "../../../src/core/protocol/signals.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import type { ToolContext } from "../../../src/core/tool.ts";
import { MemoryJournal } from "../../support/database/memory-journal.ts";
import { aborted, drive, resultTexts, ScriptedModel, scenario, tool, userMessage } from "./query-fixture.ts";

const readX = { id: "a", name: "read", input: { path: "x" } };

test.each([
  { name: "the setting", config: { maxTurns: 3 }, agent: {}, turns: 3 },
  { name: "the agent's own limit", config: { maxTurns: 50 }, agent: { maxTurns: 2 }, turns: 2 },
])("a tool loop is limited by $name, and its last results are journalled", async ({ turns, ...given }) => {
  const model = new ScriptedModel((_request, call) => ({
    calls: [{ ...readX, id: `call-${call}`, input: { path: `x${call}` } }],
  }));
  const { query, journal } = scenario({ model, tools: [tool("read")], ...given });

  const { events, outcome } = await drive(query);

  expect(outcome).toEqual({ type: "max_turns", turns });
  expect(model.requests).toHaveLength(turns);
  expect(await resultTexts(journal)).toHaveLength(turns);
  expect(journal.writes.at(-1)).toBe("toolResults");
  expect(events.filter((event) => event.type === "turn_end")).toHaveLength(turns);
});

test("an answer in the last allowed turn ends the run normally", async () => {
  const { query } = scenario({ model: ScriptedModel.inOrder({ text: "ok" }), config: { maxTurns: 1 } });
  expect((await drive(query)).outcome.type).toBe("end_turn");
});

test.each([
  { name: "with text", reply: { text: "I can", stopReason: "refusal" as const } },
  { name: "with a call", reply: { calls: [readX], stopReason: "refusal" as const } },
  { name: "without anything", reply: { stopReason: "refusal" as const } },
])("a refusal $name ends the run as refused and runs nothing", async ({ reply }) => {
  const model = ScriptedModel.inOrder(reply);
  const execute = () => {
    throw new Error("was run");
  };
  const { query, journal } = scenario({ model, tools: [tool("read", { execute })] });
  const { outcome } = await drive(query);
  expect(outcome).toMatchObject({ type: "error", error: { code: "refused", detail: { model: "one" } } });
  expect(journal.writes).not.toContain("callBegun");
});

test("a cancel while the model streams ends the run at once and leaves a valid history", async () => {
  const cancel = new AbortController();
  const { query, journal } = scenario({ model: ScriptedModel.inOrder({ text: "one two", hangs: true }) });

  const { outcome } = await drive(query, cancel.signal, (event) => {
    if (event.type === "token") cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));
  });

  expect(outcome).toEqual({ type: "cancelled", cause: { by: "person", name: "@ana" } });
  expect((await journal.load()).messages).toHaveLength(1);
});

test("a cancel while tools run stops them, and calls without a result get one that says so", async () => {
  const cancel = new AbortController();
  const model = ScriptedModel.inOrder({
    calls: [
      { id: "done", name: "read", input: { path: "done" } },
      { id: "slow", name: "read", input: { path: "slow" } },
      { id: "never", name: "write", input: { path: "never" } },
    ],
  });
  const execute = async ({ path }: { path: string }, _ctx: ToolContext, signal: AbortSignal) =>
    path === "slow" ? aborted(signal) : textResult(path);
  const { query, journal } = scenario({
    model,
    tools: [tool("read", { execute }), tool("write", { permission: "write", parallel: false, execute })],
  });

  const { events, outcome } = await drive(query, cancel.signal, (event) => {
    if (event.type === "tool_end" && event.toolId === "done")
      cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));
  });

  expect(outcome).toEqual({ type: "cancelled", cause: { by: "person", name: "@ana" } });
  expect(await resultTexts(journal)).toEqual([
    "done",
    "Cancelled by @ana while it was running; anything it had already done remains.",
    "Cancelled by @ana.",
  ]);
  expect(events.flatMap((event) => (event.type === "tool_start" ? [event.toolId] : []))).toEqual(["done", "slow"]);
  expect(events.at(-1)?.type).toBe("turn_end");
  expect(model.requests).toHaveLength(1);
});

test("a cancel while the start of a call is journalled prevents the tool from running", async () => {
  const cancel = new AbortController();
  let executed = false;
  const execute = async () => {
    executed = true;
    return textResult("x");
  };
  const { query, journal } = scenario({
    model: ScriptedModel.inOrder({ calls: [readX] }),
    tools: [tool("read", { execute })],
  });
  const callBegun = journal.callBegun.bind(journal);
  journal.callBegun = async (callId) => {
    await callBegun(callId);
    cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));
  };

  expect((await drive(query, cancel.signal)).outcome).toEqual({
    type: "cancelled",
    cause: { by: "person", name: "@ana" },
  });
  expect(await resultTexts(journal)).toEqual([expect.stringMatching(/^Cancelled by @ana/)]);
  expect(executed).toBe(false);
});

test("a tool that finishes despite a cancel keeps its result", async () => {
  const cancel = new AbortController();
  const execute = async () => {
    cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));
    return textResult("written");
  };
  const { query, journal } = scenario({
    model: ScriptedModel.inOrder({ calls: [readX] }),
    tools: [tool("read", { execute })],
  });
  const { outcome } = await drive(query, cancel.signal);
  expect(outcome).toEqual({ type: "cancelled", cause: { by: "person", name: "@ana" } });
  expect(await resultTexts(journal)).toEqual(["written"]);
});

test("a tool that ignores a cancel is abandoned within a second", async () => {
  const cancel = new AbortController();
  const { query, clock, journal } = scenario({
    model: ScriptedModel.inOrder({ calls: [readX] }),
    tools: [tool("read", { execute: () => new Promise(() => {}) })],
  });
  const begun = Promise.withResolvers<void>();
  const run = drive(query, cancel.signal, (event) => {
    if (event.type === "tool_start") begun.resolve();
  });

  await begun.promise;
  cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));
  await clock.advance(1000);

  expect((await run).outcome).toEqual({ type: "cancelled", cause: { by: "person", name: "@ana" } });
  expect(await resultTexts(journal)).toEqual([
    "Cancelled by @ana while it was running; anything it had already done remains.",
  ]);
});

test.each([
  { name: "before the run", cancelOn: null },
  { name: "after a turn's tools", cancelOn: "turn_end" },
  { name: "as a turn starts", cancelOn: "turn_start" },
])("a cancel $name ends it before the next model call", async ({ cancelOn }) => {
  const cancel = new AbortController();
  if (cancelOn === null) cancel.abort(new CancelSignal({ by: "person", name: "@bo" }));
  const model = new ScriptedModel((_request, call) => ({ calls: [{ ...readX, id: `${call}` }] }));
  const { query } = scenario({ model, tools: [tool("read")] });
  const { outcome } = await drive(query, cancel.signal, (event) => {
    if (event.type === cancelOn) cancel.abort(new CancelSignal({ by: "person", name: "@bo" }));
  });
  expect(outcome).toEqual({ type: "cancelled", cause: { by: "person", name: "@bo" } });
  expect(model.requests).toHaveLength(cancelOn === "turn_end" ? 1 : 0);
});

test("cancelling a finished run changes nothing", async () => {
  const cancel = new AbortController();
  const { query } = scenario({ model: ScriptedModel.inOrder({ text: "ok" }) });
  const { outcome } = await drive(query, cancel.signal, (event) => {
    if (event.type === "turn_end") cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));
  });
  expect(outcome.type).toBe("end_turn");
});

test("a thread can continue after a cancel", async () => {
  const cancel = new AbortController();
  const first = scenario({
    model: ScriptedModel.inOrder({ calls: [readX] }),
    tools: [tool("read", { execute: (_input, _ctx, signal) => aborted(signal) })],
  });
  await drive(first.query, cancel.signal, (event) => {
    if (event.type === "tool_start") cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));
  });
  const { messages } = await first.journal.load();

  const model = ScriptedModel.inOrder({ text: "ok" });
  const journal = new MemoryJournal([...messages, userMessage("go on", "msg_next")]);
  const second = scenario({ model, tools: [tool("read")], journal });

  expect((await drive(second.query)).outcome.type).toBe("end_turn");
  expect(model.requests[0]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "user", "user"]);
});

test.each([
  { name: "while the model streams", reply: { text: "one", hangs: true }, on: "token" },
  { name: "while a tool runs", reply: { calls: [readX] }, on: "tool_start" },
  { name: "as a turn starts", reply: { text: "one" }, on: "turn_start" },
] as const)("a suspension $name leaves the run open, journals no result and throws its reason", async (given) => {
  const suspend = new AbortController();
  const reason = new SuspendSignal("shutting down");
  const { query, journal } = scenario({
    model: ScriptedModel.inOrder(given.reply),
    tools: [tool("read", { execute: (_input, _ctx, signal) => aborted(signal) })],
  });

  const run = drive(query, suspend.signal, (event) => {
    if (event.type === given.on) suspend.abort(reason);
  });

  await expect(run).rejects.toBe(reason);
  expect(journal.writes).not.toContain("callEnded");
  expect(journal.writes).not.toContain("toolResults");
});

test("an abort other than a cancel suspends the run", async () => {
  const stop = new AbortController();
  stop.abort();
  const { query } = scenario({ model: ScriptedModel.inOrder({ text: "ok" }) });
  await expect(drive(query, stop.signal)).rejects.toThrow("aborted");
});

test("a journal failure is thrown and stops concurrent calls", async () => {
  const stopped: unknown[] = [];
  const model = ScriptedModel.inOrder({ calls: [readX, { id: "b", name: "read", input: { path: "hangs" } }] });
  const { query, journal } = scenario({
    model,
    tools: [
      tool("read", {
        execute: async ({ path }, _ctx, signal) => {
          if (path !== "hangs") return textResult(path);
          return aborted(signal).catch((error: unknown) => {
            stopped.push(error);
            throw error;
          });
        },
      }),
    ],
  });
  const lost = new Error("stale owner");
  journal.callEnded = () => Promise.reject(lost);

  const run = runQuery(query, new AbortController().signal);
  const driven = async (): Promise<QueryEnd> => {
    for (;;) {
      const next = await run.next();
      if (next.done === true) return next.value;
    }
  };

  await expect(driven()).rejects.toBe(lost);
  expect(stopped).toEqual([lost]);
});
