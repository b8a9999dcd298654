import { expect, test } from "vitest";
import { CallCharge } from "../../../src/core/budget/call-charge.ts";
import { inputTokensAtMost } from "../../../src/core/budget/estimate.ts";
import { TokenMeter } from "../../../src/core/context/token-estimate.ts";
import { NO_USAGE } from "../../../src/core/protocol/usage.ts";
import type { ModelRequest, StreamEvent } from "../../../src/core/providers/provider.ts";
import { user } from "../../support/talk/conversation.ts";

const MODEL = "test/one";
const REQUEST: ModelRequest = {
  model: "one",
  system: [{ text: "You are a test.", cacheBreakpoint: true }],
  messages: [user("word ".repeat(700))],
  tools: [],
  maxTokens: 500,
};
const COUNTED = { inputTokens: 40, outputTokens: 1, cacheReadTokens: 900, cacheWriteTokens: 60 };
const WRITTEN = "word ".repeat(70);
const sent: StreamEvent = { type: "sent", maxTokens: 500 };
const WINDOW = 100_000;

function charge(...events: StreamEvent[]): CallCharge {
  const of = new CallCharge({ model: MODEL, request: REQUEST, contextWindow: WINDOW, meter: new TokenMeter() });
  for (const event of events) of.see(event);
  return of;
}

function ended(usage = NO_USAGE): StreamEvent {
  return { type: "end", response: { content: [], stopReason: "end_turn", usage, model: "one" } };
}

test.each<{ what: string; events: StreamEvent[]; wasWaiting: boolean; charged: boolean }>([
  { what: "that was never sent", events: [{ type: "status", text: "⏳" }], wasWaiting: true, charged: false },
  { what: "that was refused", events: [sent], wasWaiting: false, charged: false },
  { what: "whose answer was given up", events: [sent], wasWaiting: true, charged: true },
  { what: "that waits to be sent again", events: [sent, { type: "refused" }], wasWaiting: true, charged: false },
  { what: "that was sent again", events: [sent, { type: "refused" }, sent], wasWaiting: true, charged: true },
  { what: "that broke off", events: [sent, { type: "text", text: "Half" }], wasWaiting: false, charged: true },
  { what: "that was counted", events: [sent, { type: "usage", usage: COUNTED }], wasWaiting: false, charged: true },
  { what: "whose response said nothing", events: [sent, ended(COUNTED)], wasWaiting: false, charged: true },
])("a call $what is charged: $charged", ({ events, wasWaiting, charged }) => {
  expect(charge(...events).whenCut(wasWaiting) !== null).toBe(charged);
});

test("the provider's usage counts, and later output is estimated", () => {
  const half = charge(sent, { type: "usage", usage: COUNTED }, { type: "text", text: WRITTEN });
  const { outputTokens, ...input } = half.whenCut(true) ?? NO_USAGE;
  expect({ ...input, outputTokens: 1 }).toEqual(COUNTED);
  expect(outputTokens).toBeGreaterThan(70);
  expect(outputTokens).toBeLessThan(200);
});

test("without usage from the provider the input is estimated as well", () => {
  const input = charge(sent).whenCut(true);
  expect(input).toMatchObject({ outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 });
  expect(input?.inputTokens).toBeGreaterThan(700);
  expect(input?.inputTokens).toBeLessThan(2_000);
});

test.each<StreamEvent>([
  { type: "text", text: WRITTEN },
  { type: "thinking", text: WRITTEN },
  { type: "tool_input", json: WRITTEN },
])("content of type $type counts as output", (event) => {
  expect(charge(sent, event).whenCut(false)?.outputTokens).toBeGreaterThan(70);
});

test.each([
  { allowed: 500, before: [] },
  { allowed: 120, before: [sent] },
])("a call is never charged more output than maxTokens: $allowed", ({ allowed, before }) => {
  const pieces = Array.from({ length: 100 }, (): StreamEvent => ({ type: "text", text: WRITTEN }));
  const events = [...before, { type: "sent", maxTokens: allowed } as const, ...pieces];
  expect(charge(...events).whenCut(true)?.outputTokens).toBe(allowed);
});

test.each([1, 10, 100_000])("the input estimate never exceeds its reservation in a window of %i", (window) => {
  const meter = new TokenMeter();
  meter.learn(MODEL, 100, 300);
  const of = new CallCharge({ model: MODEL, request: REQUEST, contextWindow: window, meter });
  of.see(sent);
  expect(of.whenCut(true)?.inputTokens).toBe(inputTokensAtMost(REQUEST, window));
});

test("a response's usage is used as reported; without usage it is estimated", () => {
  const written: StreamEvent = { type: "text", text: WRITTEN };
  expect(charge(sent, written, ended(COUNTED)).counted()).toEqual(COUNTED);
  const estimated = charge(sent, written, ended()).counted();
  expect([estimated.inputTokens > 700, estimated.outputTokens > 70]).toEqual([true, true]);
});
