import { expect, test } from "vitest";
import { decide, type TurnRules } from "../../../src/core/agent/tool-decision.ts";
import type { Mode, Permission } from "../../../src/core/agents/query-config.ts";
import type { CallRule, Tool } from "../../../src/core/tool.ts";
import { EMPTY_LABEL } from "../../../src/core/trust/label.ts";
import { tool } from "./query-fixture.ts";

const asks = { type: "ask", why: "It matters.", always: false } as const;
const asksAlways = { type: "ask", why: "It matters.", always: true } as const;
const refuses = { type: "refuse", reason: "Never." } as const;

function verdict(tools: readonly Tool[], mode: Mode, granted: readonly string[] = []) {
  const rules: TurnRules = {
    tools,
    whyMissing: () => null,
    access: { agentName: "build", role: "full", mode, granted },
    environment: { mode, sandboxRoot: "/nowhere", allowedHosts: [], blockedUrls: [] },
    request: { label: EMPTY_LABEL, known: () => ({ addresses: [], texts: [] }) },
  };
  return decide({ type: "tool_use", id: "call_1", name: "it", input: { path: "a" } }, undefined, rules);
}

type Case = readonly [mode: Mode, permission: Permission, rule: CallRule | null, verdict: "run" | "ask" | "refuse"];

const cases: readonly Case[] = [
  ["read", "none", null, "run"],
  ["read", "read", null, "run"],
  ["read", "write", null, "refuse"],
  ["read", "execute", null, "refuse"],
  ["read", "read", asks, "ask"],
  ["read", "read", refuses, "refuse"],
  ["write", "none", null, "run"],
  ["write", "read", null, "run"],
  ["write", "write", null, "ask"],
  ["write", "execute", null, "ask"],
  ["write", "none", asks, "ask"],
  ["write", "read", asks, "ask"],
  ["write", "write", asks, "ask"],
  ["write", "write", asksAlways, "ask"],
  ["write", "execute", refuses, "refuse"],
  ["agi", "none", null, "run"],
  ["agi", "read", null, "run"],
  ["agi", "write", null, "run"],
  ["agi", "execute", null, "run"],
  ["agi", "read", asks, "run"],
  ["agi", "write", asks, "run"],
  ["agi", "read", asksAlways, "ask"],
  ["agi", "write", asksAlways, "ask"],
  ["agi", "execute", refuses, "refuse"],
];

test.each(cases)("in %s mode a call with permission %s and rule %j: %s", (...[mode, permission, rule, expected]) => {
  expect(verdict([tool("it", { permission, rule: () => rule })], mode).type).toBe(expected);
});

test.each<[Mode, CallRule | null, object]>([
  ["write", null, { why: null, always: false }],
  ["write", asks, { why: "It matters.", always: false }],
  ["agi", asksAlways, { why: "It matters.", always: true }],
])("in %s mode with rule %j the approval states the reason, and whether a grant applies", (mode, rule, asked) => {
  expect(verdict([tool("it", { permission: "write", rule: () => rule })], mode)).toMatchObject(asked);
});

test("a rule's refusal gives the model its reason", () => {
  const decision = verdict([tool("it", { permission: "write", rule: () => refuses })], "agi");
  expect(decision).toMatchObject({ type: "refuse", result: { isError: true, content: [{ text: "Never." }] } });
});

const fails = () => {
  throw new Error("no such pattern");
};

test.each<[string, Partial<Tool>]>([
  ["its rule", { rule: fails }],
  ["what it sends", { sends: fails }],
])("a call is refused if %s cannot be judged, and the model is told", (...[, part]) => {
  const it = { ...tool("it"), ...part };
  expect(verdict([it], "agi")).toMatchObject({
    type: "refuse",
    result: { content: [{ text: "Not run: it could not be determined whether it may do this (no such pattern)." }] },
  });
});
