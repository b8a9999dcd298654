import { expect, test } from "vitest";
import { z } from "zod";
import { deferTools, foundTools } from "../../../src/core/context/deferred-tools.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import { defineTool, type Tool } from "../../../src/core/tool.ts";
import { createToolSearch } from "../../../src/tools/native/tool-search.ts";
import { nativeSession } from "../../support/native-session.ts";
import { buildConfig } from "../../support/query-config.ts";

function tool(name: string, description = "", permission: Tool["permission"] = "read"): Tool {
  return defineTool({
    name,
    description,
    input: z.object({}),
    permission,
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: name, label: name }),
    title: () => "",
    execute: () => Promise.resolve(textResult("")),
  });
}

const CATALOGUE = [
  tool("mcp__github__create_issue", "Opens an issue in a repository.", "write"),
  tool("mcp__github__list_issues", "Lists the issues of a repository."),
  tool("mcp__calendar__list_events", "Lists events of a calendar."),
  tool("read", "Reads a file."),
];
const SEARCH = createToolSearch(() => CATALOGUE);
const TOOLS = [...CATALOGUE, SEARCH];

function names(tools: readonly Pick<Tool, "name">[]): string[] {
  return tools.map(({ name }) => name);
}

test("a small catalogue is offered whole, without a search", () => {
  const { offered, deferred } = deferTools(TOOLS, [], 3);
  expect(names(offered)).toEqual(names(CATALOGUE).sort());
  expect(deferred).toEqual([]);
});

test("of a large one only names are offered, and the list grows at its end alone by what is found", () => {
  const before = deferTools(TOOLS, [], 2);
  expect(names(before.offered)).toEqual(["read", "tool_search"]);
  expect(before.offered.at(-1)?.description).toContain("mcp__calendar__list_events, mcp__github__create_issue");
  const after = deferTools(TOOLS, ["mcp__github__list_issues", "mcp__calendar__list_events", "mcp__gone__tool"], 2);
  const specs = (tools: readonly Tool[]) => tools.map(({ name, description }) => ({ name, description }));
  expect(specs(after.offered).slice(0, 2)).toEqual(specs(before.offered));
  expect(names(after.offered).slice(2)).toEqual(["mcp__github__list_issues", "mcp__calendar__list_events"]);
  expect(names(after.deferred)).toEqual(["mcp__github__create_issue"]);
});

test.each([
  { query: "list issues", first: "mcp__github__list_issues" },
  { query: "calendar", first: "mcp__calendar__list_events" },
  { query: "mcp__github__create_issue", first: "mcp__github__create_issue" },
])("“$query” finds $first first", async ({ query, first }) => {
  const session = await nativeSession();
  const result = await session.settle(SEARCH, { query });
  expect(foundTools(result?.carry ?? null)[0]).toBe(first);
});

test("each search carries on what was found before it", async () => {
  const session = await nativeSession();
  const first = await session.settle(SEARCH, { query: "calendar", limit: 1 });
  const second = await session.settle(SEARCH, { query: "issues", limit: 1 }, { carried: first?.carry ?? null });
  expect(foundTools(second?.carry ?? null)).toEqual(["mcp__calendar__list_events", "mcp__github__create_issue"]);
});

test("what the mode does not allow is found only where it is granted, and a search in vain says so", async () => {
  const session = await nativeSession();
  const config = buildConfig({ model: "demo/demo", mode: "read" });
  const result = await session.settle(SEARCH, { query: "create issue" }, { config });
  expect(foundTools(result?.carry ?? null)).not.toContain("mcp__github__create_issue");
  const granted = { ...config, grantedTools: ["mcp__github__create_issue"] };
  const found = await session.settle(SEARCH, { query: "create issue" }, { config: granted });
  expect(foundTools(found?.carry ?? null)[0]).toBe("mcp__github__create_issue");
  const none = await session.settle(SEARCH, { query: "weather" });
  expect(none?.isError).toBe(true);
  expect(textOf(none?.content ?? [])).toContain("No tool fits");
});
