import { expect, test } from "vitest";
import type { AgentDefinition } from "../../../src/core/agents/query-config.ts";
import { shownTools } from "../../../src/features/tools/shown-tools.ts";
import { createGitTool } from "../../../src/tools/git.ts";

const git = createGitTool();
const agent = (fields: Partial<AgentDefinition>): AgentDefinition => ({
  name: "any",
  description: "",
  prompt: "",
  access: "full",
  visible: true,
  ...fields,
});

test("a tool is listed for the agents that may use it, by their access level and tool lists", () => {
  const agents = new Map([
    ["build", agent({})],
    ["search", agent({ access: "search-only" })],
    ["listed", agent({ tools: ["git"] })],
    ["unlisted", agent({ tools: ["read"] })],
    ["denied", agent({ disallowedTools: ["git"] })],
  ]);
  const [shown] = shownTools({
    tools: () => [{ tool: git, source: "built in" }],
    agents: () => agents,
    allowedHosts: [],
  });
  expect(shown?.agents).toEqual(["build", "listed"]);
});
