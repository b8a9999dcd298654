import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { isInstructionFile } from "../../src/tools/instruction-files.ts";
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

test.each(rights)("$name asks for $permission and describes each field to models", ({ name, ...properties }) => {
  const tool = fileSession(sandbox).tool(name);
  expect(tool).toMatchObject(properties);
  const schema = z.object({ properties: z.record(z.string(), z.object({ description: z.string().min(10) })) });
  expect(schema.safeParse(z.toJSONSchema(tool.input, { io: "input" })).error).toBeUndefined();
});

test.each([
  ["files", ["deckhand:sandbox/workspace"]],
  ["js", ["deckhand:sandbox/clock", "deckhand:sandbox/filesystem"]],
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
  ["sub/.agents/a.md", true],
  ["./extensions/skills/x/SKILL.md", true],
  ["src/extensions/list.ts", false],
  ["docs/AGENTS.md.txt", false],
])("that %s instructs agents is %s", (file, instructs) => {
  expect(isInstructionFile(file)).toBe(instructs);
});

test("the grant of a change is its path, however it is written", () => {
  const edit = fileSession(sandbox).tool("edit");
  const keys = ["a/f.txt", "./a/f.txt", "a/../a//f.txt"].map(
    (file) => edit.grant({ path: file, old_string: "x", new_string: "y" }).key,
  );
  expect(new Set(keys)).toEqual(new Set(["a/f.txt"]));
});
