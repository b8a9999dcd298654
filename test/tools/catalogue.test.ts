import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { capabilitiesText } from "../../src/core/capabilities.ts";
import { isInstructionFile } from "../../src/tools/instructions/instruction-files.ts";
import { PROGRAM_LIMITS } from "../../src/tools/wasm/capability.ts";
import { fileSession, useSandbox } from "./file-session.ts";

const sandbox = useSandbox();

const rights = [
  { name: "read", permission: "read", parallel: true, afterCrash: "replay" },
  { name: "write", permission: "write", parallel: false, afterCrash: "reconcile" },
  { name: "edit", permission: "write", parallel: false, afterCrash: "reconcile" },
  { name: "glob", permission: "read", parallel: true, afterCrash: "replay" },
  { name: "grep", permission: "read", parallel: true, afterCrash: "replay" },
  { name: "bash", permission: "execute", parallel: false, afterCrash: "never" },
  { name: "js_exec", permission: "execute", parallel: false, afterCrash: "never" },
];

test.each(rights)("$name has the permission $permission and a description of each field", ({ name, ...properties }) => {
  const tool = fileSession(sandbox).tool(name);
  expect(tool).toMatchObject(properties);
  const schema = z.object({ properties: z.record(z.string(), z.object({ description: z.string().min(10) })) });
  expect(schema.safeParse(z.toJSONSchema(tool.input, { io: "input" })).error).toBeUndefined();
});

const reaches = [
  { name: "read", input: { path: "a" }, files: "read", clock: false, timeoutMs: 30_000, memoryMb: 128 },
  { name: "write", input: { path: "a", content: "" }, files: "write", clock: false, timeoutMs: 30_000, memoryMb: 128 },
  { name: "bash", input: { command: "ls" }, files: "write", clock: true, timeoutMs: 60_000, memoryMb: 256 },
  {
    name: "bash",
    input: { command: "ls", timeout: 600 },
    files: "write",
    clock: true,
    timeoutMs: 600_000,
    memoryMb: 256,
  },
  { name: "js_exec", input: { code: "1", timeout: 5 }, files: "write", clock: true, timeoutMs: 5_000, memoryMb: 64 },
];

test.each(reaches)(
  "the sandbox request of $name with $input gets the stated capabilities",
  ({ name, input, ...reach }) => {
    const { capabilities } = fileSession(sandbox).tool(name);
    const place = { readOnly: false, allowedHosts: ["*"] };
    expect(capabilities?.(input, place)).toMatchObject({ ...reach, hosts: [] });
    expect(capabilities?.(input, { ...place, readOnly: true })).toMatchObject({ ...reach, files: "read" });
  },
);

test.each([
  ["write", { path: "a.txt", content: "x" }],
  ["edit", { path: "b.txt", old_string: "old", new_string: "new" }],
  ["bash", { command: "ls" }],
  ["js_exec", { code: "1" }],
])("the approval card of %s states what the call may reach", async (name, input) => {
  const session = fileSession(sandbox);
  session.put("b.txt", "old");
  await session.run("read", { path: "b.txt" });
  const { preview, capabilities } = session.tool(name);
  const shown = await preview?.(input, session.context, new AbortController().signal);
  const reach = capabilities?.(input, session.context);
  expect(reach && capabilitiesText(reach)).toContain("may change files in the sandbox of this channel · no network · ");
  expect(shown).toMatchObject({ reach: reach && capabilitiesText(reach) });
});

test("a guest without the clock capability gets no time", async () => {
  const input = JSON.stringify({ code: "Date.now()", file: null, maxChars: 100, overflow: "out", seed: 1 });
  const { root } = fileSession(sandbox);
  const caller = { sessionId: "s", channelKey: "c", signal: new AbortController().signal, queued: () => {} };
  const grant = { ...PROGRAM_LIMITS, root, writable: false };
  const told = async (clock: boolean): Promise<number> =>
    Number(JSON.parse(await sandbox.call("js", input, { ...grant, clock }, caller)).value);
  expect(await told(false)).toBe(0);
  expect(await told(true)).toBeGreaterThan(1_700_000_000_000);
});

test.each([
  ["files", ["deckhand:sandbox/workspace"]],
  ["page", []],
  [
    "js",
    ["deckhand:sandbox/clock", "deckhand:sandbox/console", "deckhand:sandbox/filesystem", "deckhand:sandbox/http"],
  ],
  ["bash", ["deckhand:sandbox/clock", "deckhand:sandbox/filesystem"]],
])("the guest %s imports exactly %j", (guest, imports) => {
  const stamp = readFileSync(path.join(import.meta.dirname, "../../build/wasm", guest, "build.json"), "utf8");
  expect(JSON.parse(stamp)).toMatchObject({ imports });
});

test.each([
  ["config.toml", false],
  ["AGENTS.md", true],
  ["packages/web/AGENTS.md", true],
  ["claude.md", true],
  [".claude/commands/x.md", true],
  [".github/skills/x/SKILL.md", true],
  ["docs/skills/x.md", false],
  [".idea/workspace.xml", true],
  ["team.code-workspace", true],
  ["opencode.jsonc", true],
  [".gitea/workflows/ci.yml", true],
  ["crates/x/.cargo/config.toml", true],
  [".lintstagedrc.json", true],
  [".editorconfig", false],
  [".tool-versions", false],
  [".agent/rules/x.md", true],
  [".augment/skills/x/SKILL.md", true],
  ["apps/web/.claude-plugin/plugin.json", true],
  ["sub/.agents/a.md", true],
  ["./extensions/skills/x/SKILL.md", true],
  ["src/extensions/list.ts", false],
  ["docs/AGENTS.md.txt", false],
])("that %s instructs agents is %s", (file, instructs) => {
  expect(isInstructionFile(file)).toBe(instructs);
});

test("the grant of a change is its normalised path", () => {
  const edit = fileSession(sandbox).tool("edit");
  const keys = ["a/f.txt", "./a/f.txt", "a/../a//f.txt"].map(
    (file) => edit.grant({ path: file, old_string: "x", new_string: "y" }).key,
  );
  expect(new Set(keys)).toEqual(new Set(["a/f.txt"]));
});
