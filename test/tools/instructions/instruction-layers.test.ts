import { mkdirSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { DirectoriesAbove } from "../../../src/core/context/system-prompt.ts";
import { createInstructionReader } from "../../../src/tools/instructions/instruction-layers.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

let home: string;
let root: string;
let read: (above?: DirectoriesAbove) => readonly string[];

beforeEach(() => {
  home = tempDirectory();
  root = path.join(home, "root");
  mkdirSync(root);
  const files = [path.join(home, "AGENTS.md"), path.join(home, "agents/AGENTS.md")];
  const reader = createInstructionReader(files, silentLog);
  read = (above) => reader({ sandboxRoot: root, above }).map(({ text }) => text);
});

function put(name: string, text: string): string {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test("layers are concatenated, the sandbox root's last", () => {
  put("root/AGENTS.md", "project\n");
  put("agents/AGENTS.md", "mine");
  put("AGENTS.md", "home");
  expect(read()).toEqual(["home", "mine", "project"]);
});

test.each([
  { name: "nothing", files: {}, layers: [] },
  { name: "an empty file", files: { "root/AGENTS.md": " \n" }, layers: [] },
  { name: "CLAUDE.md alone", files: { "root/CLAUDE.md": "claude" }, layers: ["claude"] },
  { name: "both", files: { "root/CLAUDE.md": "claude", "root/AGENTS.md": "agents" }, layers: ["agents"] },
  { name: "an empty AGENTS.md", files: { "root/CLAUDE.md": "claude", "root/AGENTS.md": "" }, layers: ["claude"] },
  { name: "instructions in .claude", files: { "root/.claude/CLAUDE.md": "hidden" }, layers: ["hidden"] },
  {
    name: "instructions both at the root and in .claude",
    files: { "root/.claude/CLAUDE.md": "hidden", "root/CLAUDE.md": "claude" },
    layers: ["claude"],
  },
  { name: "bytes that are no text", files: { "root/AGENTS.md": "a\0b" }, layers: [] },
  { name: "a directory in the file's place", files: { "root/AGENTS.md/x": "x" }, layers: [] },
])("a root with $name has the layers $layers", ({ files, layers }) => {
  for (const [name, text] of Object.entries(files)) put(name, text);
  expect(read()).toEqual(layers);
});

test("directories above a working directory contribute layers as well, topmost first", () => {
  const above = { root: path.join(home, "project"), directories: ["", "packages", "packages/none"] };
  root = path.join(home, "project/packages/none/service");
  mkdirSync(root, { recursive: true });
  put("AGENTS.md", "home");
  put("project/AGENTS.md", "project");
  put("project/CLAUDE.md", "claude");
  put("project/packages/CLAUDE.md", "packages");
  put("project/packages/none/service/AGENTS.md", "service");
  put("project/packages/none/service/deeper/AGENTS.md", "deeper");
  expect(read(above)).toEqual(["home", "project", "packages", "service"]);
});

test("a file that a parent layer imports from the working directory is marked as writable by tools", () => {
  const above = { root: path.join(home, "project"), directories: [""] };
  root = path.join(home, "project/service");
  mkdirSync(root, { recursive: true });
  put("project/AGENTS.md", "@service/open.md @closed.md");
  put("project/service/open.md", "Open.");
  put("project/closed.md", "Closed.");
  expect(read(above)[0]).toContain("[Imported: service/open.md, a file that tools may write]\nOpen.");
  expect(read(above)[0]).toContain("[Imported: closed.md]\nClosed.");
});

test("links above a working directory are not followed out of the root, and changes there take effect", () => {
  const above = { root: path.join(home, "project"), directories: ["", "packages"] };
  root = path.join(home, "project/packages/service");
  mkdirSync(root, { recursive: true });
  symlinkSync(put("secret.txt", "secret"), path.join(home, "project/AGENTS.md"));
  const file = put("project/packages/AGENTS.md", "one");
  expect(read(above)).toEqual(["one"]);
  writeFileSync(file, "two");
  utimesSync(file, 1, 1);
  expect(read(above)).toEqual(["two"]);
});

test("a link out of the sandbox root is not followed", () => {
  symlinkSync(put("secret.txt", "secret"), path.join(root, "AGENTS.md"));
  expect(read()).toEqual([]);
});

test("a long file is cut, with a visible mark", () => {
  put("root/AGENTS.md", "ä".repeat(40_000));
  const [text = ""] = read();
  expect(text).toMatch(/ä\n\[Cut here: the file has 80000 bytes; only the first 32768 are read\.\]$/);
});

test.each([
  { order: "little-endian", bytes: Buffer.from("\ufeffÄhnlich @a.md", "utf16le") },
  { order: "big-endian", bytes: Buffer.from("\ufeffÄhnlich @a.md", "utf16le").swap16() },
])("instructions in $order UTF-16, as PowerShell writes them, are read", ({ bytes }) => {
  writeFileSync(put("root/AGENTS.md", ""), bytes);
  put("root/a.md", "\ufeffTabs.\r\n");
  expect(read()).toEqual(["Ähnlich @a.md\n\n[Imported: a.md]\nTabs."]);
});

test("files that do not exist are no problem worth logging, unlike those that cannot be read", () => {
  const unreadable: unknown[] = [];
  const log = { ...silentLog, debug: (fields: unknown) => unreadable.push(fields) };
  const reader = createInstructionReader([path.join(home, "AGENTS.md")], log);
  put("root/CLAUDE.md", "@ana uses @types/node");
  expect(reader({ sandboxRoot: root, above: undefined })).toHaveLength(1);
  expect(unreadable).toEqual([]);
  put("root/AGENTS.md/x", "x");
  reader({ sandboxRoot: root, above: undefined });
  expect(unreadable).toEqual([expect.objectContaining({ source: "AGENTS.md" })]);
});

test("a file is read again after a change", () => {
  const file = put("root/AGENTS.md", "one");
  expect(read()).toEqual(["one"]);
  writeFileSync(file, "two");
  utimesSync(file, 1, 1);
  expect(read()).toEqual(["two"]);
});

const imports: { name: string; files: Record<string, string>; layer: string }[] = [
  {
    name: "a file that is named",
    files: { "root/CLAUDE.md": "Follow @docs/style.md, please.", "root/docs/style.md": "Tabs.\n" },
    layer: "Follow @docs/style.md, please.\n\n[Imported: docs/style.md]\nTabs.",
  },
  {
    name: "what an imported file names, from where it lies, each once",
    files: {
      "root/AGENTS.md": "@docs/a.md\n@docs/b.md",
      "root/docs/a.md": "a @b.md @../c.md @a.md",
      "root/docs/b.md": "b @a.md @../AGENTS.md",
      "root/c.md": "c",
    },
    layer:
      "@docs/a.md\n@docs/b.md\n\n[Imported: docs/a.md]\na @b.md @../c.md @a.md\n\n[Imported: docs/b.md]\nb @a.md @../AGENTS.md\n\n[Imported: c.md]\nc",
  },
  {
    name: "no code, people, packages, addresses",
    files: {
      "root/AGENTS.md": "`@a.md` @ana uses @types/node, me@a.md\n```\n@a.md\n```",
      "root/a.md": "never",
    },
    layer: "`@a.md` @ana uses @types/node, me@a.md\n```\n@a.md\n```",
  },
  {
    name: "nothing that a comment switches off, and what follows it",
    files: {
      "root/AGENTS.md": "<!-- @a.md -->\n<!-- Later:\n@a.md -->\n`<!--` @b.md `-->` <!-- @c.md",
      "root/a.md": "never",
      "root/b.md": "b",
      "root/c.md": "c",
    },
    layer:
      "<!-- @a.md -->\n<!-- Later:\n@a.md -->\n`<!--` @b.md `-->` <!-- @c.md\n\n[Imported: b.md]\nb\n\n[Imported: c.md]\nc",
  },
  {
    name: "a file of which a heading is named",
    files: { "root/AGENTS.md": "@a.md#setup @c#.md", "root/a.md": "a", "root/c#.md": "c" },
    layer: "@a.md#setup @c#.md\n\n[Imported: a.md]\na\n\n[Imported: c#.md]\nc",
  },
  {
    name: "files that are named in East Asian writing",
    files: {
      "root/AGENTS.md": "请先看 @a.md，再看（@b.md）。参见@时々.md @d.mdを",
      "root/a.md": "a",
      "root/b.md": "b",
      "root/时々.md": "c",
      "root/d.md": "d",
    },
    layer:
      "请先看 @a.md，再看（@b.md）。参见@时々.md @d.mdを\n\n[Imported: a.md]\na\n\n[Imported: b.md]\nb\n\n[Imported: 时々.md]\nc\n\n[Imported: d.md]\nd",
  },
  {
    name: "what .claude/CLAUDE.md names, from where it lies",
    files: { "root/.claude/CLAUDE.md": "@rules/a.md @../b.md", "root/.claude/rules/a.md": "a", "root/b.md": "b" },
    layer: "@rules/a.md @../b.md\n\n[Imported: .claude/rules/a.md]\na\n\n[Imported: b.md]\nb",
  },
  {
    name: "no file outside",
    files: {
      "root/AGENTS.md": "@../secret.txt @/etc/hostname @~/secret.txt @docs/../../secret.txt",
      "secret.txt": "never",
    },
    layer:
      "@../secret.txt @/etc/hostname @~/secret.txt @docs/../../secret.txt\n\n[Not imported, because they are not in this directory: ~/secret.txt.]",
  },
  {
    name: "no bytes that are no text, and no directory",
    files: { "root/AGENTS.md": "@a.bin @docs @docs/", "root/a.bin": "a\0b", "root/docs/x": "x" },
    layer: "@a.bin @docs @docs/",
  },
];

test.each(imports)("a layer imports $name", ({ files, layer }) => {
  for (const [name, text] of Object.entries(files)) put(name, text);
  expect(read()).toEqual([layer]);
});

test("imports follow no links out of the root, and none into .git", () => {
  put("root/AGENTS.md", "@link.md @folder/secret.txt @.git/config");
  put("root/.git/config", "never");
  symlinkSync(put("outside/secret.txt", "never"), path.join(root, "link.md"));
  symlinkSync(path.join(home, "outside"), path.join(root, "folder"));
  expect(read()).toEqual(["@link.md @folder/secret.txt @.git/config"]);
});

test("secrets of a project are not revealed by imports or links", () => {
  put("root/AGENTS.md", "Our token is xoxb-1. @.env @notes.md @style.md");
  put("root/.env", "DB_PASSWORD=hunter2\n");
  put("root/style.md", "Tabs.");
  symlinkSync(".env", path.join(root, "notes.md"));
  expect(read()).toEqual(["Our token is xoxb-1. @.env @notes.md @style.md\n\n[Imported: style.md]\nTabs."]);
  unlinkSync(path.join(root, "AGENTS.md"));
  symlinkSync(".env", path.join(root, "AGENTS.md"));
  expect(read()).toEqual([]);
});

test("imports end at a depth of five", () => {
  put("root/AGENTS.md", "@1.md");
  for (let depth = 1; depth < 8; depth++) put(`root/${depth}.md`, `at ${depth}, then @${depth + 1}.md`);
  const [layer] = read();
  expect(layer).toContain("\nat 5, then @6.md");
  expect(layer).not.toContain("at 6");
});

test("imports are limited, and the omitted ones are named", () => {
  const names = Array.from({ length: 50 }, (_, index) => `f${index}.md`);
  put("root/AGENTS.md", names.map((name) => `@${name}`).join("\n"));
  for (const name of names) put(`root/${name}`, "x".repeat(20_000));
  const [layer = ""] = read();
  expect(layer.length).toBeLessThan(70_000);
  expect(layer).toMatch(/\[Not imported, because .*: f3\.md, f4\.md/);
});

test("imports beyond thirty are named instead of read", () => {
  const names = Array.from({ length: 32 }, (_, index) => `f${index}.md`);
  put("root/AGENTS.md", names.map((name) => `@${name}`).join("\n"));
  for (const name of names) put(`root/${name}`, "short");
  expect(read()[0]).toMatch(/\[Not imported, because .*: f30\.md, f31\.md\. Read them when you need them\.\]$/);
});

test("the operator's own file imports from its directory only, and a changed import is read again", () => {
  put("agents/AGENTS.md", "@tone.md @../root/x.md");
  const tone = put("agents/tone.md", "Short.");
  put("root/x.md", "never");
  expect(read()).toEqual(["@tone.md @../root/x.md\n\n[Imported: tone.md]\nShort."]);
  writeFileSync(tone, "Longer.");
  utimesSync(tone, 1, 1);
  expect(read()[0]).toContain("Longer.");
});
