import { assert, oneof, property, record, string, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import { hashedName, qualifiedName } from "../../../src/features/mcp/catalogue/names.ts";

const cases: { server: string; tool: string; name: string | RegExp }[] = [
  { server: "docs", tool: "search", name: "mcp__docs__search" },
  { server: "docs", tool: "_b", name: "mcp__docs___b" },
  { server: "docs", tool: "a.b", name: /^mcp__docs__a_b_[0-9a-f]{8}$/ },
  { server: "docs", tool: "été", name: /^mcp__docs___t__[0-9a-f]{8}$/ },
  { server: "docs", tool: "t".repeat(53), name: `mcp__docs__${"t".repeat(53)}` },
  { server: "docs", tool: "t".repeat(54), name: /^mcp__docs__t{44}_[0-9a-f]{8}$/ },
];

test.each(cases)("$tool of $server", ({ server, tool, name }) => {
  if (typeof name === "string") expect(qualifiedName(server, tool)).toBe(name);
  else expect(qualifiedName(server, tool)).toMatch(name);
});

/** Server names that the settings allow. */
const server = stringMatching(/^[A-Za-z0-9-]{1,8}(_[A-Za-z0-9-]{1,8})?$/);
const tool = oneof(stringMatching(/^[A-Za-z0-9_-]{1,70}$/), string({ minLength: 1, maxLength: 90 }));

test("providers accept every name", () => {
  assert(
    property(server, tool, (server, tool) => {
      expect(qualifiedName(server, tool)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(hashedName(server, tool)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }),
  );
});

test("tools never share a name", () => {
  const named = record({ server, tool });
  assert(
    property(named, named, (one, other) => {
      const same = one.server === other.server && one.tool === other.tool;
      expect(qualifiedName(one.server, one.tool) === qualifiedName(other.server, other.tool)).toBe(same);
    }),
  );
});
