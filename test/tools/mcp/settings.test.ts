import { expect, test } from "vitest";
import { expandServers, mcpServersSchema, passedOn } from "../../../src/config/mcp-settings.ts";
import type { McpServer } from "../../../src/tools/mcp/server-settings.ts";

const names: { name: string; valid: boolean }[] = [
  { name: "docs", valid: true },
  { name: "my_docs-2", valid: true },
  { name: "my__docs", valid: false },
  { name: "docs_", valid: false },
  { name: "_docs", valid: false },
  { name: "a b", valid: false },
  { name: "n".repeat(24), valid: true },
  { name: "n".repeat(25), valid: false },
];

test.each(names)("a server may be named $name: $valid", ({ name, valid }) => {
  expect(mcpServersSchema.safeParse({ [name]: { command: "x" } }).success).toBe(valid);
});

const wrong: { what: string; server: object }[] = [
  { what: "a program and an address", server: { command: "x", url: "https://h/" } },
  { what: "neither", server: {} },
  { what: "an address of another kind", server: { url: "ws://h/" } },
  { what: "an unknown key", server: { command: "x", enviroment: {} } },
  { what: "an unknown permission", server: { command: "x", tools: { a: { permission: "all" } } } },
  { what: "a time limit of nothing", server: { command: "x", timeoutMs: 0 } },
];

test.each(wrong)("$what is refused", ({ server }) => {
  expect(mcpServersSchema.safeParse({ docs: server }).success).toBe(false);
});

test("settings are what the connections take", () => {
  const servers: Readonly<Record<string, McpServer>> = mcpServersSchema.parse({
    files: { command: "npx", args: ["-y"], env: { A: "b" }, cwd: "/srv", tools: { read: { permission: "read" } } },
    docs: { url: "https://h/mcp", headers: { A: "b" }, permission: "read", timeoutMs: 5 },
  });
  expect(Object.keys(servers)).toEqual(["files", "docs"]);
});

test("references take their values from our environment, and missing ones are named", () => {
  const servers = mcpServersSchema.parse({
    files: { command: "x", env: { TOKEN: "${TOKEN}", MODE: "$fast ${}" } },
    docs: { url: "https://h/${TOKEN}", headers: { Authorization: "Bearer ${TOKEN}${MISSING}" } },
  });
  const { servers: expanded, problems } = expandServers(servers, { TOKEN: "t-${OTHER}", OTHER: "no" });
  expect(expanded).toEqual({
    files: { command: "x", env: { TOKEN: "t-${OTHER}", MODE: "$fast ${}" } },
    docs: { url: "https://h/${TOKEN}", headers: { Authorization: "Bearer t-${OTHER}" } },
  });
  expect(problems).toEqual([{ path: ["mcpServers", "docs", "headers", "Authorization"], variable: "MISSING" }]);
});

test("of our environment a program gets what it needs to run, and no key", () => {
  const ours = { PATH: "/bin", HOME: "/home/a", ANTHROPIC_API_KEY: "sk", SLACK_BOT_TOKEN: "xoxb", NODE_OPTIONS: "x" };
  expect(passedOn(ours)).toEqual({ PATH: "/bin", HOME: "/home/a" });
});
