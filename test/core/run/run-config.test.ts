import { expect, test } from "vitest";
import type { ChildEvent } from "../../../src/core/events/child-event.ts";
import { budgetsOfRun, configOfRun } from "../../../src/core/run/run-config.ts";
import { ANA } from "../../support/native-session.ts";
import { buildConfig } from "../../support/query-config.ts";
import { shippedAgent } from "../../support/shipped-agents.ts";

const ROOT = { sessionId: "ses_1", runId: "run_1" };

const BEGUN: ChildEvent = {
  kind: "child",
  parent: { ...ROOT, callId: "call_1" },
  task: { agent: "explorer", description: "look", background: false, depth: 1, root: ROOT },
  prompt: "Look.",
  author: ANA,
  people: [],
  access: "full",
  mode: "write",
  tools: ["read", "grep", "web_fetch"],
  grantedTools: [],
  maxTurns: 3,
  nonInteractive: false,
  job: null,
  at: 0,
};

test.each([
  { config: {}, has: ["full", ["read", "grep", "web_fetch"]] },
  { config: { toolAllow: ["agent", "grep", "web_fetch", "bash"] }, has: ["full", ["grep", "web_fetch"]] },
  { config: { toolAllow: [] }, has: ["full", []] },
  { config: { agentDefinition: shippedAgent("explorer") }, has: ["search-only", ["read", "grep", "web_fetch"]] },
])("a sub-agent is limited by the current settings of $config", ({ config, has }) => {
  const now = buildConfig({ model: "demo/demo", mode: "write", ...config });
  const place = {
    sandboxRoot: "/",
    allowedHosts: [],
    blockedUrls: [],
    sinks: [],
    place: { platform: "", channel: "" },
  };
  const { agentDefinition, toolAllow } = configOfRun(BEGUN, { ...place, config: now }, (own) => own).config;
  expect([agentDefinition.access, toolAllow]).toEqual(has);
});

test.each([
  { own: null, operators: 2, holds: 2 },
  { own: 0.5, operators: undefined, holds: 0.5 },
  { own: 0.5, operators: 2, holds: 0.5 },
  { own: 100, operators: 2, holds: 2 },
])(
  "a job with a budget of $own and an operator's limit of $operators may spend $holds",
  ({ own, operators, holds }) => {
    const body: ChildEvent = { ...BEGUN, job: { mode: "read", tools: [], budgetUsd: own } };
    const budgets = operators === undefined ? {} : { jobUsd: operators };
    expect(budgetsOfRun(body, budgets, buildConfig({ model: "demo/demo" }))).toEqual({ jobUsd: holds });
  },
);
