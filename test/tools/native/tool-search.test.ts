import { expect, test } from "vitest";
import { z } from "zod";
import { deferTools, toolDescriptionsLabel } from "../../../src/core/context/deferred-tools.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import { type Deferred, defineTool, type Tool } from "../../../src/core/tool.ts";
import { outsideOf } from "../../../src/core/trust/label.ts";
import { createToolSearch } from "../../../src/tools/native/tool-search.ts";
import { createUseTool } from "../../../src/tools/native/use-tool.ts";
import { nativeSession } from "../../support/native-session.ts";
import { buildConfig } from "../../support/query-config.ts";

interface Facts {
  readonly description?: string;
  readonly permission?: Tool["permission"];
  readonly deferred?: Deferred;
}

function tool(name: string, { description = "", permission = "read", ...deferred }: Facts = {}): Tool {
  return defineTool({
    name,
    description,
    ...deferred,
    input: z.object({ wish: z.string().max(9).optional(), extra: z.string().optional() }),
    offer: { about: name, arguments: { wish: "" } },
    permission,
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: name, label: name }),
    title: () => "",
    execute: () => Promise.resolve(textResult("")),
  });
}

const MANUAL = "> Mind the repository's rules.";
const GITHUB = { about: "", group: "mcp__github__", manual: () => MANUAL };
const CATALOGUE = [
  tool("mcp__github__create_issue", {
    description: "Opens an issue in a repository.",
    permission: "write",
    deferred: GITHUB,
  }),
  tool("mcp__github__list_issues", { description: "Lists the issues of a repository.", deferred: GITHUB }),
  tool("mcp__calendar__list_events", {
    description: "Lists events of a calendar.",
    deferred: { about: "", group: "mcp__calendar__" },
  }),
  tool("chart", { description: "Draws a chart.", deferred: { about: "draws" } }),
  tool("read", { description: "Reads a file." }),
];
const SEARCH = createToolSearch(() => CATALOGUE);
const TOOLS = [...CATALOGUE, SEARCH, createUseTool()];

function names(tools: readonly Pick<Tool, "name">[]): string[] {
  return tools.map(({ name }) => name);
}

async function found(input: object, more = {}): Promise<string> {
  const result = await (await nativeSession()).callTool(SEARCH, input, more);
  return textOf(result?.content ?? []);
}

test("a few small tools are offered directly, without a search", () => {
  const offered = deferTools([SEARCH, createUseTool(), ...CATALOGUE.slice(1)]);
  expect(names(offered)).toEqual(names(CATALOGUE.slice(1)).sort());
});

test.each([
  { what: "a choice of whole inputs", schema: { type: "object", properties: {}, anyOf: [{ required: ["a"] }] } },
  { what: "an array of anything", schema: { type: "object", properties: { ids: { type: "array" } } } },
  { what: "an empty choice", schema: { type: "object", properties: { sort: { type: "string", enum: ["up", ""] } } } },
  { what: "no property of a required name", schema: { type: "object", properties: {}, required: ["id"] } },
])("a tool whose schema holds $what, which providers may refuse, is offered by search only", ({ schema }) => {
  const odd = { ...tool("odd", { deferred: { about: "is odd" } }), inputSchema: () => schema };
  expect(names(deferTools([SEARCH, createUseTool(), odd]))).toEqual(["tool_search", "use_tool"]);
  expect(deferTools([odd])).toEqual([]);
});

test("many tools have one line each in the search's description, or one per server", () => {
  const offered = deferTools(TOOLS);
  expect(names(offered)).toEqual(["read", "tool_search", "use_tool"]);
  const lines = offered[1]?.description.split("\n") ?? [];
  expect(lines.slice(1)).toEqual([
    "- chart: draws",
    "- mcp__calendar__* (1): list_events",
    "- mcp__github__* (2): create_issue, list_issues",
  ]);
});

test("a server of 256 tools costs a line of 90 characters, and servers after the 20th none", () => {
  const served = (server: number, tools: number) =>
    Array.from({ length: tools }, (_, number) =>
      tool(`mcp__s${server}__do_${number}`, { deferred: { about: "", group: `mcp__s${server}__` } }),
    );
  const description = (tools: readonly Tool[]) => deferTools([...TOOLS, ...tools])[1]?.description ?? "";
  const many = description(served(1, 256));
  expect(
    Math.max(
      ...many
        .split("\n")
        .slice(1)
        .map((line) => line.length),
    ),
  ).toBe(90);
  expect(many.length - description([]).length).toBe(91);
  const servers = Array.from({ length: 30 }, (_, server) => served(server, 2)).flat();
  expect(description(servers).split("\n").at(-1)).toBe("- and 12 more");
});

test.each([
  { query: "list issues", first: "mcp__github__list_issues" },
  { query: "calendar", first: "mcp__calendar__list_events" },
  { query: "mcp__github__create_issue", first: "mcp__github__create_issue" },
  { query: "read", first: "read" },
])("the query “$query” finds $first first, with all its arguments", async ({ query, first }) => {
  const [, told] = (await found({ query })).split("\n\n");
  expect(told?.split(":")[0]).toBe(first);
  expect(told).toContain('"wish":{"type":"string","maxLength":9}');
  expect(told).toContain('"extra"');
});

test("a server's instructions are included once, with its first tool found", async () => {
  expect((await found({ query: "issues" })).split(MANUAL)).toHaveLength(2);
  expect(await found({ query: "calendar" })).not.toContain(MANUAL);
});

test("tool descriptions from others are labelled as external in search results and requests", async () => {
  const foreign = { ...tool("chart", { description: "Draws." }), writtenBy: "MCP server charts" };
  const search = createToolSearch(() => [foreign, ...CATALOGUE]);
  const session = await nativeSession();
  const carried = { who: [outsideOf("MCP server charts")], holds: [] };
  expect((await session.callTool(search, { query: "chart" }))?.label).toEqual(carried);
  expect((await session.callTool(search, { query: "read" }))?.label?.who).toEqual([]);
  expect(toolDescriptionsLabel([foreign, ...CATALOGUE])).toEqual(carried);
});

test("a tool too large for the results is named, to be searched for by itself", async () => {
  const large = ["one", "two"].map((name) => tool(`large_${name}`, { description: "large ".repeat(3_000) }));
  const search = createToolSearch(() => large);
  const session = await nativeSession();
  const both = await session.callTool(search, { query: "large" });
  expect(textOf(both?.content ?? [])).toContain("Search for these by name: large_two.");
  const second = await session.callTool(search, { query: "large_two", limit: 1 });
  expect(textOf(second?.content ?? [])).toContain("large_two: large");
});

test("tools that the mode forbids are found only with a grant, and an empty search says so", async () => {
  const config = buildConfig({ model: "demo/demo", mode: "read" });
  expect(await found({ query: "create issue" }, { config })).not.toContain("mcp__github__create_issue");
  const granted = { ...config, grantedTools: ["mcp__github__create_issue"] };
  expect(await found({ query: "create issue" }, { config: granted })).toContain("\n\nmcp__github__create_issue: ");
  const session = await nativeSession();
  const none = await session.callTool(SEARCH, { query: "weather" });
  expect(none?.isError).toBe(true);
  expect(textOf(none?.content ?? [])).toContain("No tool matches");
});
