import { expect, test } from "vitest";
import { type Capabilities, capabilitiesText } from "../../../src/core/capabilities.ts";
import type { ListedTool } from "../../../src/core/command-line/command.ts";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { intakeOptions, mention, privateText } from "../inbound/intake-fixture.ts";

const BOUNDS = { clock: true, timeoutMs: 60_000, memoryMb: 256, outputBytes: 1_000 };

const TOOLS: ListedTool[] = [
  {
    name: "bash",
    permission: "execute",
    source: "built in",
    capabilities: (_call, { readOnly }) => ({ ...BOUNDS, files: readOnly ? "read" : "write", hosts: [] }),
  },
  {
    name: "web_fetch",
    permission: "read",
    source: "built in",
    capabilities: (_call, { allowedHosts }) => ({ ...BOUNDS, memoryMb: null, files: "none", hosts: allowedHosts }),
  },
  { name: "mcp__docs__search", permission: "execute", source: "MCP server docs, not sandboxed" },
];

test("/tools states the source, the permission and the reach of each tool", async () => {
  const { options } = await intakeOptions();
  const allowedHosts = ["docs.example", "a.example", "b.example", "c.example", "d.example"];
  const receive = createIntake({ ...options, tools: async () => TOOLS, allowedHosts });
  const lines = privateText(await receive(mention("/tools"))).split("\n");
  expect(lines.find((line) => line.startsWith("bash"))).toMatch(
    /^bash +execute +asks first +built in +changes files · no network · 60 s · 256 MB$/,
  );
  expect(lines.find((line) => line.startsWith("web_fetch"))).toMatch(
    /^web_fetch +read +yes +built in +no files · docs\.example, a\.example, b\.example and 2 more hosts · 60 s$/,
  );
  expect(lines.find((line) => line.startsWith("mcp"))).toMatch(/execute +asks first +MCP server docs, not sandboxed$/);
});

const READS: Capabilities = { ...BOUNDS, files: "read", hosts: [] };

test.each([
  { capabilities: READS, says: "may read files in the sandbox of this channel · no network · 60 s · 256 MB" },
  {
    capabilities: { ...READS, files: "none" as const, hosts: ["*"] },
    says: "no files · every public host · 60 s · 256 MB",
  },
  {
    capabilities: { ...READS, hosts: ["a", "b", "c", "d"], memoryMb: null },
    says: "may read files in the sandbox of this channel · a, b, c, d · 60 s",
  },
])("the approval card states: $says", ({ capabilities, says }) => expect(capabilitiesText(capabilities)).toBe(says));
