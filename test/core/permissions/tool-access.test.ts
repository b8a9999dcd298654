import { describe, expect, test } from "vitest";
import type { Mode, Permission } from "../../../src/core/agents/query-config.ts";
import { offeredTools, refusal, type ToolAccess } from "../../../src/core/permissions/tool-access.ts";

/** Tools of every kind that the rules distinguish. */
const tools: readonly { readonly name: string; readonly permission: Permission }[] = [
  { name: "read", permission: "read" },
  { name: "glob", permission: "read" },
  { name: "grep", permission: "read" },
  { name: "web_fetch", permission: "read" },
  { name: "web_search", permission: "read" },
  { name: "ask_user_question", permission: "none" },
  { name: "todo", permission: "none" },
  { name: "write", permission: "write" },
  { name: "edit", permission: "write" },
  { name: "bash", permission: "execute" },
];

const all = tools.map((tool) => tool.name);
const harmless = all.slice(0, 7);
const search = ["read", "glob", "grep", "web_fetch"];

const cases: readonly { readonly role: string; readonly mode: Mode; readonly offered: readonly string[] }[] = [
  { role: "full", mode: "agi", offered: all },
  { role: "full", mode: "write", offered: all },
  { role: "full", mode: "read", offered: harmless },
  { role: "read-only", mode: "agi", offered: harmless },
  { role: "read-only", mode: "write", offered: harmless },
  { role: "read-only", mode: "read", offered: harmless },
  { role: "search-only", mode: "agi", offered: search },
  { role: "search-only", mode: "write", offered: search },
  { role: "search-only", mode: "read", offered: search },
  { role: "auditor", mode: "agi", offered: [] },
  { role: "", mode: "write", offered: [] },
  { role: "constructor", mode: "read", offered: [] },
];

test.each(cases)("a $role agent in $mode mode is offered $offered and refused the rest", ({ role, mode, offered }) => {
  const access = { agentName: "build", role, mode };
  expect(offeredTools(tools, access).map((tool) => tool.name)).toEqual(offered);
  for (const tool of tools) {
    const reason = refusal(tool, access);
    if (offered.includes(tool.name)) expect(reason).toBeNull();
    else expect(reason).toMatch(new RegExp(`^The tool ${tool.name} is not available`));
  }
});

test("a search tool that can write is refused in read mode whatever its name", () => {
  const access = { agentName: "explore", role: "search-only", mode: "read" } as const;
  expect(refusal({ name: "web_fetch", permission: "write" }, access)).toMatch(/read mode/);
});

test("the operator's tool list restricts what role and mode allow, and never extends it", () => {
  const access = { agentName: "plan", role: "read-only", mode: "write", toolAllow: ["read", "bash"] } as const;
  expect(offeredTools(tools, access).map((tool) => tool.name)).toEqual(["read"]);
  expect(offeredTools(tools, { ...access, toolAllow: [] })).toEqual([]);
});

test("the refusal names the first limit that applies: role, then mode, then the list", () => {
  const bash = { name: "bash", permission: "execute" } as const;
  const access = { agentName: "plan", role: "read-only", mode: "read", toolAllow: [] } as const;
  expect(refusal(bash, access)).toBe("The tool bash is not available: agent plan has the access role read-only.");
  expect(refusal(bash, { ...access, role: "full" })).toBe(
    "The tool bash is not available in read mode, which only looks and changes nothing.",
  );
  expect(refusal(bash, { ...access, role: "full", mode: "agi" })).toBe("The tool bash is not enabled here.");
});

test("disallowing a server disallows all of its tools and no others; `*` disallows all", () => {
  const named = ["mcp__github__create", "mcp__github2__create", "read"].map(
    (name) => ({ name, permission: "read" }) as const,
  );
  const without = (...disallowed: string[]) =>
    offeredTools(named, { agentName: "scout", role: "full", mode: "write", disallowed }).map(({ name }) => name);
  expect(without("mcp__github")).toEqual(["mcp__github2__create", "read"]);
  expect(without("mcp")).toEqual(["read"]);
  expect(without("*")).toEqual([]);
});

describe("a manager", () => {
  const merge = { name: "merge_work", permission: "write", onlyFor: "manager" } as const;
  const handing = ["agent", "agent_output"].map((name) => ({ name, permission: "none" }) as const);
  const offered = (more: Partial<ToolAccess>) =>
    offeredTools([...tools, ...handing, merge], { agentName: "build", role: "manager", mode: "write", ...more }).map(
      ({ name }) => name,
    );
  const hands = ["agent", "agent_output", "merge_work"];

  test("may delegate, whatever tool list applies to its executors", () => {
    expect(offered({ toolAllow: ["read", "bash"] })).toEqual(["read", ...hands]);
    expect(offered({ toolAllow: ["read", "bash"], disallowed: ["agent"] })).not.toContain("agent");
  });

  test("may read no more than its agent could by itself", () => {
    expect(offered({ ownRole: "full" })).toEqual([...harmless, ...hands]);
    expect(offered({ ownRole: "search-only" })).toEqual([...search, ...hands]);
    expect(offered({ ownRole: "auditor" })).toEqual(hands);
  });
});
