import { expect, test } from "vitest";
import { compactSession } from "../../../src/core/agent/compact-session.ts";
import { BudgetStop } from "../../../src/core/budget/run-budget.ts";
import { resultChars, resultsOf } from "../../../src/core/context/projection.ts";
import { textTokens } from "../../../src/core/context/token-estimate.ts";
import { ProviderError } from "../../../src/core/protocol/errors.ts";
import type { BudgetExceeded } from "../../../src/core/protocol/events.ts";
import type { Message } from "../../../src/core/protocol/messages.ts";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import type { ModelRequest } from "../../../src/core/providers/provider.ts";
import { UNKNOWN_LABEL } from "../../../src/core/trust/label.ts";
import { MemoryJournal, ProcessDied } from "../../support/database/memory-journal.ts";
import { drive, type Reply, ScriptedModel, scenario, tool, userMessage } from "./query-fixture.ts";

const SUMMARY = "## Primary Request and Intent\nThe code word is heron.";

function isSummaryCall({ tools, messages }: ModelRequest): boolean {
  return tools.length === 0 && messages.length === 1 && messages[0]?.id === "summary_request";
}

/** Past messages of about `tokens` tokens each, alternately from the user and the model. */
function past(count: number, tokens: number): Message[] {
  return Array.from({ length: count }, (_, index) => ({
    ...userMessage(`message ${index} ${"word ".repeat((tokens * 3.6) / 5)}`, `msg_${index}`),
    ...(index % 2 === 1 ? { role: "assistant" as const } : {}),
  }));
}

function statusesOf(events: Awaited<ReturnType<typeof drive>>["events"]): string[] {
  return events.flatMap((event) => (event.type === "status" ? [event.text] : []));
}

/** Reads six files of 10,000 characters, one in each turn. */
function sixReads(journal = new MemoryJournal([userMessage("go")])) {
  const replies: Reply[] = Array.from({ length: 6 }, (_, index) => ({
    calls: [{ id: `r${index}`, name: "read", input: { path: `f${index}` } }],
  }));
  const model = ScriptedModel.byTurn(...replies, { text: "Done." });
  const execute = async () => textResult("x".repeat(10_000));
  return { ...scenario({ model, tools: [tool("read", { execute })], journal }), model };
}

function sizes({ messages }: ModelRequest): number[] {
  return messages.flatMap(resultsOf).map(resultChars);
}

test("of 60,000 characters of results the newest are sent, the others become placeholders, and all stay in the store", async () => {
  const { query, journal, model } = sixReads();
  expect((await drive(query)).outcome.type).toBe("end_turn");

  const sent = model.requests.map(sizes);
  expect(sent[5]).toEqual([10_000, 10_000, 10_000, 10_000, 10_000]);
  expect(sent[6]?.slice(4)).toEqual([10_000, 10_000]);
  expect(Math.max(...(sent[6]?.slice(0, 4) ?? []))).toBeLessThan(60);
  const { messages } = await journal.load();
  expect(messages.flatMap(resultsOf).map(resultChars)).toEqual(Array.from({ length: 6 }, () => 10_000));
});

const readsPoints = [1, 2, 3].flatMap((back) => (["before", "after"] as const).map((when) => ({ back, when })));

test.each(readsPoints)(
  "killed $when the write $back before the end, the process sends the same request after a restart",
  async ({ back, when }) => {
    const whole = sixReads();
    await drive(whole.query);
    const { query, journal, model } = sixReads();
    journal.crashAt({ write: whole.journal.writes.length - back, when });
    await expect(drive(query)).rejects.toThrow(ProcessDied);
    journal.restart();
    await drive(query);
    expect(journal.writes).toEqual(whole.journal.writes);
    expect(model.requests.at(-1)).toMatchObject({
      messages: whole.model.requests.at(-1)?.messages.map(({ content }) => ({ content })),
    });
  },
);

test("one turn's results beyond the budget are all sent once and evicted afterwards", async () => {
  const ids = ["a", "b", "c", "d", "e", "f"];
  const model = ScriptedModel.inOrder(
    { calls: ids.map((id) => ({ id, name: "read", input: { path: id } })) },
    { calls: [{ id: "g", name: "read", input: { path: "g" } }] },
    { text: "Done." },
  );
  const { query } = scenario({ model, tools: [tool("read", { execute: async () => textResult("x".repeat(10_000)) })] });
  await drive(query);
  expect(sizes(model.requests[1] ?? fail())).toEqual(ids.map(() => 10_000));
  expect(sizes(model.requests[2] ?? fail()).filter((size) => size === 10_000)).toHaveLength(2);
});

function fail(): never {
  throw new Error("there was no such request");
}

/** A query whose context window of 10,000 tokens holds the given history. */
function filled(history: readonly Message[], replies: (request: ModelRequest) => Reply) {
  const journal = new MemoryJournal([...history, userMessage("what is the code word?", "msg_now")]);
  const model = new ScriptedModel(replies);
  return { ...scenario({ model, journal, config: { contextWindow: 10_000 } }), model };
}

test("below 80 % of the window nothing is evicted or announced", async () => {
  const { query, model, journal } = filled(past(12, 450), () => ({ text: "ok" }));
  const { events } = await drive(query);
  expect(statusesOf(events)).toEqual([]);
  expect(model.requests).toHaveLength(1);
  expect(journal.writes).toEqual(["modelResponded"]);
});

test("at 80 % people are warned once", async () => {
  const { query, journal } = filled(past(12, 530), () => ({ text: "ok" }));
  const first = statusesOf((await drive(query)).events);
  expect(first).toEqual([expect.stringMatching(/^⚠ This thread fills 8\d % of the model's memory\.$/)]);
  expect(journal.writes).toEqual(["modelResponded"]);
});

test("at 80 % old tool results are evicted, and no text", async () => {
  const reads: Message[] = Array.from({ length: 4 }, (_, index): Message[] => [
    {
      id: `a${index}`,
      role: "assistant",
      content: [{ type: "tool_use", id: `c${index}`, name: "read", input: { path: "x" } }],
      createdAt: 0,
    },
    {
      id: `u${index}`,
      role: "user",
      content: [
        {
          type: "tool_result",
          toolUseId: `c${index}`,
          content: [{ type: "text", text: "line\n".repeat(720) }],
          isError: false,
        },
      ],
      createdAt: 0,
    },
  ]).flat();
  const { query, model, journal } = filled([...past(12, 200), ...reads], () => ({ text: "ok" }));
  const { events } = await drive({ ...query, tools: [tool("read")] });
  expect(statusesOf(events)).toHaveLength(1);
  expect(journal.writes).toEqual(["projected", "modelResponded"]);
  expect(sizes(model.requests[0] ?? fail()).filter((size) => size === 3_600).length).toBeLessThan(4);
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("[Earlier tool result from read: x, 720 lines]");
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("message 0 ");
});

test("at 90 % a summary replaces the head; the last ten messages and the store are unchanged", async () => {
  const { query, model, journal } = filled(past(20, 400), (request) => ({
    text: isSummaryCall(request) ? SUMMARY : "heron",
  }));
  const before = (await journal.load()).messages;

  const { events, outcome } = await drive(query);

  expect(outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "heron" }] } });
  expect(statusesOf(events).at(-1)).toBe(
    "⚠ I summarised the first 11 messages to go on; nothing is deleted (`/export`).",
  );
  expect(events.filter((event) => event.type === "token")).toEqual([{ type: "token", text: "heron" }]);
  expect(model.requests.map(isSummaryCall)).toEqual([true, false]);
  const sent = model.requests[1]?.messages ?? [];
  expect(sent).toHaveLength(11);
  expect(JSON.stringify(sent[0])).toContain("The code word is heron.");
  expect(sent.slice(1).map(({ id }) => id)).toEqual(before.slice(-10).map(({ id }) => id));
  const state = await journal.load();
  expect(state.messages.slice(0, -1)).toEqual(before);
  expect(state).toMatchObject({ turns: 1, usage: { inputTokens: 200 } });
  // The summarised messages have no label, so that of the summary is unknown.
  expect(state.projection.summary?.label).toEqual(UNKNOWN_LABEL);
  expect(journal.writes).toEqual(["projected", "modelResponded"]);
});

test.each([
  { what: "few long messages", count: 20, tokens: 400 },
  { what: "many short ones", count: 400, tokens: 30 },
])("the summarised messages and the summary fit into the window: $what", async ({ count, tokens }) => {
  const { query, model } = filled(past(count, tokens), (request) => ({
    text: isSummaryCall(request) ? SUMMARY : "heron",
  }));
  await drive(query);
  const asked = model.requests.find(isSummaryCall) ?? fail();
  const prompt = JSON.stringify(asked.messages);
  expect(textTokens(prompt) + asked.maxTokens).toBeLessThan(10_000);
  expect(prompt).toContain("message 0 ");
  expect(prompt).toContain(`message ${count - 11} `);
});

test("a single result is cut to what fits into a small window", async () => {
  const model = ScriptedModel.byTurn({ calls: [{ id: "r", name: "read", input: { path: "big" } }] }, { text: "Done." });
  const tools = [tool("read", { execute: async () => textResult("word ".repeat(40_000)) })];
  const { query } = scenario({ model, tools, config: { contextWindow: 10_000 } });
  await drive(query);
  const [size = 0] = sizes(model.requests[1] ?? fail());
  expect(size).toBeGreaterThan(5_000);
  expect(size).toBeLessThan(15_000);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("of 200000 characters are left out");
});

test("a summary is not made again after a crash", async () => {
  const { query, model, journal } = filled(past(20, 400), (request) => ({
    text: isSummaryCall(request) ? SUMMARY : "heron",
  }));
  journal.crashAt({ write: 1, when: "after" });
  await expect(drive(query)).rejects.toThrow(ProcessDied);
  journal.restart();
  expect((await drive(query)).outcome.type).toBe("end_turn");
  expect(model.requests.map(isSummaryCall)).toEqual([true, false]);
});

test.each<{ name: string; reply: Reply; responses: number }>([
  { name: "fails", reply: { error: new ProviderError("bad_request", "no") }, responses: 1 },
  { name: "is cut off", reply: { text: "## Primary", stopReason: "max_tokens" }, responses: 2 },
  { name: "is refused", reply: { text: "I", stopReason: "refusal" }, responses: 2 },
])(
  "a summary that $name leaves the history unchanged, is charged, and the run continues",
  async ({ reply, responses }) => {
    const { query, model, journal } = filled(past(20, 400), (request) =>
      isSummaryCall(request) ? reply : { text: "ok" },
    );
    const { events, outcome } = await drive(query);
    expect(outcome.type).toBe("end_turn");
    expect(statusesOf(events)).toContain("⚠ I couldn't summarise this thread, so I continue with all of it.");
    expect(model.requests[1]?.messages).toHaveLength(21);
    expect(journal.projection).toMatchObject({ summary: null, failures: 1 });
    expect((await journal.load()).usage.inputTokens).toBe(responses * 100);
  },
);

test("after three failures no further summary is attempted", async () => {
  const reply = (request: ModelRequest): Reply =>
    isSummaryCall(request) ? { error: new ProviderError("bad_request", "no") } : { text: "ok" };
  const { query, model, journal } = filled(past(20, 400), reply);
  const failed = { number: 1, evictedResults: 0, summary: null, failures: 3 };
  await journal.projected(failed, null);
  const { events } = await drive(query);
  expect(model.requests.map(isSummaryCall)).toEqual([false]);
  expect(statusesOf(events).at(-1)).toMatch(
    /^⚠ This thread fills .* and I can't shorten it further\. `\/new` starts a new session\.$/,
  );
});

const overflow = (): Reply => ({ error: new ProviderError("context_overflow", "prompt is too long") });

test("a request that the provider rejects as too long is shortened and retried once", async () => {
  let calls = 0;
  const { query, model } = filled(past(20, 100), (request) => {
    if (isSummaryCall(request)) return { text: SUMMARY };
    calls += 1;
    return calls === 1 ? overflow() : { text: "heron" };
  });
  const { outcome, events } = await drive(query);
  expect(outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "heron" }] } });
  expect(model.requests.map(isSummaryCall)).toEqual([false, true, false]);
  expect(statusesOf(events)).toEqual([
    "⚠ I summarised the first 11 messages to go on; nothing is deleted (`/export`).",
  ]);
});

test("results that are too long for any request are evicted, so that the thread can continue", async () => {
  const ids = ["a", "b", "c", "d"];
  const model = new ScriptedModel((request) => {
    const chars = sizes(request).reduce((sum, size) => sum + size, 0);
    if (chars > 30_000) return overflow();
    return chars > 0 ? { text: "heron" } : { calls: ids.map((id) => ({ id, name: "read", input: { path: id } })) };
  });
  const { query } = scenario({ model, tools: [tool("read", { execute: async () => textResult("x".repeat(10_000)) })] });
  expect((await drive(query)).outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "heron" }] } });
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("[Earlier tool result from read: d, 1 line]");
});

test.each<{ name: string; count: number; summary?: Reply; calls: number }>([
  { name: "that stays too long", count: 20, calls: 3 },
  { name: "that has nothing to leave out", count: 4, calls: 1 },
  { name: "whose summary cannot be made", count: 20, summary: overflow(), calls: 2 },
])("a request $name ends the run with an explanation", async ({ count, calls, summary = { text: SUMMARY } }) => {
  const { query, model } = filled(past(count, 100), (request) => (isSummaryCall(request) ? summary : overflow()));
  expect((await drive(query)).outcome).toMatchObject({ type: "error", error: { code: "context_overflow" } });
  expect(model.requests).toHaveLength(calls);
});

test("a stop during the summary ends the run and does not count as a failed summary", async () => {
  const cancel = new AbortController();
  const { query, journal } = filled(past(20, 400), () => ({ text: "never", hangs: true }));
  const { outcome } = await drive(query, cancel.signal, (event) => {
    if (event.type === "status") cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));
  });
  expect(outcome).toEqual({ type: "cancelled", cause: { by: "person", name: "@ana" } });
  expect(journal.writes).toEqual([]);
});

const OVER_BUDGET: BudgetExceeded = { type: "budget_exceeded", scope: "run", costUsd: 0.01, limitUsd: 0.01 };

test.each<{ why: string; reply: Reply; end: object }>([
  {
    why: "the key is refused",
    reply: {
      error: new ProviderError("auth", "401", { detail: { providerName: "Anthropic", keyVariable: "THE_KEY" } }),
    },
    end: {
      message: {
        content: [
          {
            text: "⚠ I couldn't summarise this thread, so I continue with all of it.\n✗ Anthropic does not accept the key. An operator must check `THE_KEY`, or the key on the page; then mention me again.",
          },
        ],
      },
    },
  },
  { why: "a limit leaves too little", reply: { error: new BudgetStop(OVER_BUDGET) }, end: OVER_BUDGET },
])("/compact explains its failure when $why", async ({ reply, end }) => {
  const { query } = filled(past(20, 400), () => reply);
  const work = compactSession(query, new AbortController().signal);
  let next = await work.next();
  while (!next.done) next = await work.next();
  expect(next.value).toMatchObject(end);
});

test("/compact resumed after an unusable summary does not claim success", async () => {
  const { query, journal } = filled(past(20, 400), () => ({ text: "## Primary", stopReason: "max_tokens" }));
  journal.crashAt({ write: 1, when: "after" });
  const first = compactSession(query, new AbortController().signal);
  await expect(first.next()).rejects.toThrow(ProcessDied);
  journal.restart();
  const again = await compactSession(query, new AbortController().signal).next();
  expect(again.value).toMatchObject({
    message: { content: [{ text: "⚠ I couldn't summarise this thread, so I continue with all of it." }] },
  });
});

test("maxTokens is limited to the rest of the window", async () => {
  const { query, model } = filled(past(12, 450), () => ({ text: "ok" }));
  await drive(query);
  expect(model.requests[0]?.maxTokens).toBeGreaterThan(1_024);
  expect(model.requests[0]?.maxTokens).toBeLessThan(4_000);
});
