import { expect, test } from "vitest";
import type { OutputStyle, QueryConfig } from "../../../src/core/agents/query-config.ts";
import { buildSystemPrompt } from "../../../src/core/context/system-prompt.ts";
import { shippedAgents } from "../../support/shipped-agents.ts";

function configured(more: Partial<QueryConfig> = {}): QueryConfig {
  return {
    model: "demo/demo",
    maxTokens: 32_000,
    maxTurns: 50,
    outputStyle: "default",
    workingDirectory: "/data/sandbox/slack-C1",
    toolResultBudget: 50_000,
    agentDefinition: { name: "ops", description: "", prompt: "ROLE", access: "full", visible: true },
    mode: "write",
    logContext: {},
    ...more,
  };
}

const place = { platform: "Slack", channel: "#ops" };

function texts(config: QueryConfig): string[] {
  return buildSystemPrompt({ config, place, instructions: [] }).map((part) => part.text);
}

test("the static part ends with the cache breakpoint and is followed by the variable part", () => {
  const parts = buildSystemPrompt({ config: configured(), place, instructions: [] });
  expect(parts.map((part) => part.cacheBreakpoint)).toEqual([true, false]);
  expect(parts[1]?.text).toBe("Working directory: /data/sandbox/slack-C1\nChannel: #ops on Slack");
});

test("the static part ranges from the agent's role to the security boundaries", () => {
  const [standing = ""] = texts(configured({ appendSystemPrompt: "APPENDED", outputStylePrompt: "STYLED" }));
  const marks = ["ROLE", "You are Deckhand", "APPENDED", "How to answer:", "STYLED", "Boundaries:"];
  const positions = marks.map((mark) => standing.indexOf(mark));
  expect(positions).toEqual([...positions].sort((a, b) => a - b));
  expect(positions).not.toContain(-1);
});

test("the static part is byte-identical for every session, directory and channel", () => {
  const here = texts(configured());
  const there = buildSystemPrompt({
    config: configured({ workingDirectory: "/elsewhere", logContext: { session: "2" } }),
    place: { platform: "Discord", channel: "#dev" },
    instructions: [],
  });
  expect(there[0]?.text).toBe(here[0]);
  expect(there[1]?.text).not.toBe(here[1]);
});

test("a configured prompt replaces the base instructions and nothing else", () => {
  const [standing = ""] = texts(configured({ systemPrompt: "BASE" }));
  expect(standing).toContain("ROLE\n\nBASE\n\nHow to answer:");
  expect(standing).not.toContain("You are Deckhand");
  expect(standing).toContain("Boundaries:");
});

test("every output style but the default adds a text of its own, and a configured text wins", () => {
  const styles: OutputStyle[] = ["default", "explanatory", "learning", "concise", "formal", "casual"];
  const prompts = styles.map((outputStyle) => texts(configured({ outputStyle }))[0] ?? "");
  expect(new Set(prompts).size).toBe(styles.length);
  expect(prompts.map((prompt) => prompt.includes("Style:"))).toEqual([false, true, true, true, true, true]);
  const [own = ""] = texts(configured({ outputStyle: "formal", outputStylePrompt: "In verse." }));
  expect(own).toContain("In verse.");
  expect(own).not.toContain("Style:");
});

test("the prompt stays short, since every uncached call pays for it", () => {
  for (const agentDefinition of shippedAgents.values()) {
    expect(texts(configured({ agentDefinition })).join("").length).toBeLessThan(5000);
  }
});

test("instructions follow the static part with their own breakpoint, separated by rules, the project's last", () => {
  const instructions = [
    { source: "home", text: "Answer in French.\n" },
    { source: "AGENTS.md", text: "Run the tests." },
  ];
  const parts = buildSystemPrompt({ config: configured(), place, instructions });
  expect(parts.map((part) => part.cacheBreakpoint)).toEqual([true, true, false]);
  expect(parts[0]?.text).toBe(texts(configured())[0]);
  expect(parts[1]?.text.split("\n\n---\n\n").slice(1)).toEqual(["Answer in French.", "Run the tests."]);
});
