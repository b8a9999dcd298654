import { expect, test } from "vitest";
import type { Mode, Permission } from "../../../src/core/agents/query-config.ts";
import type { Tool } from "../../../src/core/tool.ts";
import type { McpServer, McpToolSettings } from "../../../src/features/mcp/server-settings.ts";
import { begin, connect, context, hostile, textIn } from "./connected.ts";
import { serverWith } from "./http-server.ts";

const signal = new AbortController().signal;

/** A server with two tools: of one it says that it only reads. */
async function plain(): Promise<McpServer> {
  return { url: (await serverWith([{ name: "echo", annotations: { readOnlyHint: true } }, { name: "fail" }])).url };
}

const settings: {
  what: string;
  permission?: Permission;
  tool?: McpToolSettings;
  expected: Partial<Tool>;
}[] = [
  { what: "nothing", expected: { permission: "execute", parallel: false, afterCrash: "never" } },
  {
    what: "that the server only reads",
    permission: "read",
    expected: { permission: "read", parallel: false, afterCrash: "replay" },
  },
  {
    what: "that one tool only reads",
    tool: { permission: "read", parallel: true },
    expected: { permission: "read", parallel: true, afterCrash: "replay" },
  },
  {
    what: "that one tool of a reading server writes",
    permission: "read",
    tool: { permission: "write" },
    expected: { permission: "write", parallel: false, afterCrash: "never" },
  },
];

test.each(settings)("settings that say $what", async ({ permission, tool: echo, expected }) => {
  const server = {
    ...(await plain()),
    ...(permission === undefined ? {} : { permission }),
    ...(echo === undefined ? {} : { tools: { echo } }),
  };
  const { tool } = await connect({ bad: server });
  expect(tool("mcp__bad__echo")).toMatchObject(expected);
});

const patterns: { what: string; tools: Record<string, McpToolSettings>; permission: Permission }[] = [
  { what: "a pattern", tools: { "e*o": { permission: "read" } }, permission: "read" },
  { what: "a pattern for others", tools: { "f*": { permission: "read" } }, permission: "execute" },
  {
    what: "a pattern that is longer than the name",
    tools: { "ech*cho": { permission: "read" } },
    permission: "execute",
  },
  { what: "every tool", tools: { "*": { permission: "read" } }, permission: "read" },
  {
    what: "a name and a pattern",
    tools: { echo: { permission: "execute" }, "echo*": { permission: "read" } },
    permission: "execute",
  },
  {
    what: "two patterns",
    tools: { "ec*": { permission: "execute" }, "*": { permission: "read" } },
    permission: "execute",
  },
  {
    what: "a part of the name",
    tools: { "*c*h*": { permission: "read" }, "*": { permission: "execute" } },
    permission: "read",
  },
];

test.each(patterns)("$what in the settings: $permission", async ({ tools, permission }) => {
  const { tool } = await connect({ bad: { ...(await plain()), tools } });
  expect(tool("mcp__bad__echo").permission).toBe(permission);
});

test.each([
  { settings: {}, upTo: undefined },
  { settings: { permission: "read" }, upTo: undefined },
  { settings: { send: "channel" }, upTo: "channel" },
  { settings: { send: "channel", tools: { echo: { send: "files" } } }, upTo: "files" },
] as const)("with $settings data up to $upTo go unasked", async ({ settings, upTo }) => {
  const { tool } = await connect({ bad: { ...(await plain()), ...settings } });
  expect(tool("mcp__bad__echo").sends?.({ text: "aa" })[0]?.upTo).toBe(upTo);
});

test("a tool is parallel only if the server also says that it only reads", async () => {
  const { tool } = await connect({
    bad: { ...(await plain()), tools: { fail: { parallel: true, permission: "read" } } },
  });
  expect(tool("mcp__bad__fail").parallel).toBe(false);
});

test("a disabled tool is left out, and names that match no tool are reported", async () => {
  const tools = { fail: { disabled: true }, "ech*": {}, ecco: {}, "*": {} };
  // What it prints first has no line of its own.
  const { mcp } = await connect({ bad: { ...hostile("banner"), tools, onlyTools: ["echo", "fail", "serch_*"] } });
  expect(mcp.problems()).toEqual(["bad: none of its tools match ecco, serch_* in the settings."]);
  expect(mcp.tools().map(({ name }) => name)).not.toContain("mcp__bad__fail");
  expect(mcp.describe()[0]?.leftOut).toContainEqual({ tool: "fail", why: "disabled in the settings" });
});

test("the card shows what is called, with which input, and that it is not sandboxed", async () => {
  const { tool } = await connect({ bad: hostile() });
  const echo = tool("mcp__bad__echo");
  expect(await echo.preview?.({ text: "aa" }, context(), signal)).toEqual({
    question: "Call echo of MCP server bad?",
    language: "json",
    text: '{\n  "text": "aa"\n}',
    reach: "not sandboxed: a native program of server bad",
  });
  expect(echo.grant({ text: "aa" })).toEqual({ key: "mcp:bad:echo", label: "echo of MCP server bad, with any input" });
  expect(echo.title({ count: 3, text: "first\nsecond" })).toBe("first second");
});

const remote: McpServer = { url: "https://127.0.0.1:1/mcp" };
const servers: { server: string; settings: McpServer; reach: string }[] = [
  { server: "native", settings: hostile("silent"), reach: "not sandboxed: a native program of server native" },
  { server: "remote", settings: remote, reach: "not sandboxed: server remote at 127.0.0.1:1" },
];

test.each(servers)(
  "reading a resource of a $server server asks for approval and says where it runs",
  async ({ server, settings, reach }) => {
    const { tool } = begin({ [server]: settings });
    const card = await tool("mcp_resources").preview?.({ action: "read", server, uri: "x:y" }, context(), signal);
    expect(card).toMatchObject({ question: `Read a resource of MCP server ${server}?`, reach });
  },
);

const rules: { action: string; permission?: Permission; mode: Mode; rule: string | null }[] = [
  { action: "list", mode: "read", rule: null },
  { action: "read", mode: "write", rule: "ask" },
  { action: "prompt", mode: "write", rule: "ask" },
  { action: "read", mode: "read", rule: "refuse" },
  { action: "read", permission: "read", mode: "read", rule: null },
  { action: "read", permission: "read", mode: "write", rule: null },
];

test.each(rules)("$action in $mode mode with permission $permission: $rule", ({ action, permission, mode, rule }) => {
  const { tool } = begin({ bad: { ...remote, ...(permission === undefined ? {} : { permission }) } });
  const place = { mode, sandboxRoot: "/nowhere", allowedHosts: [], blockedUrls: [] };
  const given = tool("mcp_resources").rule?.({ action, server: "bad", uri: "x:y", name: "p" }, place);
  expect(given?.type ?? null).toBe(rule);
});

const refusals: { what: string; input: object; readOnly?: boolean; text: RegExp }[] = [
  {
    what: "an unknown server",
    input: { action: "list", server: "no" },
    text: /no MCP server no\. Available: bad\./,
  },
  { what: "no URI", input: { action: "read", server: "bad" }, text: /Give the resource's `uri`/ },
  { what: "no name", input: { action: "prompt", server: "bad" }, text: /Give the prompt's `name`/ },
  {
    what: "an agent that only reads",
    input: { action: "read", server: "bad", uri: "x:y" },
    readOnly: true,
    text: /this agent may not use it/,
  },
];

test.each(refusals)("mcp_resources refuses $what", async ({ input, readOnly = false, text }) => {
  const { tool } = begin({ bad: remote });
  const result = await tool("mcp_resources").execute(input, context({ readOnly }), signal);
  expect(result.isError).toBe(true);
  expect(textIn(result)).toMatch(text);
});
