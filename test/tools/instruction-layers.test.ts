import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { DirectoriesAbove } from "../../src/core/context/system-prompt.ts";
import { createInstructionReader } from "../../src/tools/instruction-layers.ts";
import { silentLog } from "../support/silent-log.ts";
import { tempDirectory } from "../support/temp-directory.ts";

let home: string;
let root: string;
let read: (above?: DirectoriesAbove) => readonly string[];

beforeEach(() => {
  home = tempDirectory();
  root = path.join(home, "root");
  mkdirSync(root);
  const files = [path.join(home, "AGENTS.md"), path.join(home, "agents/AGENTS.md")];
  const reader = createInstructionReader({ files, log: silentLog });
  read = (above) => reader({ sandboxRoot: root, above }).map(({ text }) => text);
});

function put(name: string, text: string): string {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test("layers add up, the sandbox root's last", () => {
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
  { name: "bytes that are no text", files: { "root/AGENTS.md": "a\0b" }, layers: [] },
  { name: "a directory in the file's place", files: { "root/AGENTS.md/x": "x" }, layers: [] },
])("of a root with $name the layers are $layers", ({ files, layers }) => {
  for (const [name, text] of Object.entries(files)) put(name, text);
  expect(read()).toEqual(layers);
});

test("the directories above a working directory have layers, too, the highest first", () => {
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

test("above a working directory no link is followed out of the root, and a change is seen", () => {
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

test("a long file is cut, visibly", () => {
  put("root/AGENTS.md", "ä".repeat(40_000));
  const [text = ""] = read();
  expect(text).toMatch(/ä\n\[Cut here: the file has 80000 bytes, of which 32768 are read\.\]$/);
});

test("a file is read again when it has changed", () => {
  const file = put("root/AGENTS.md", "one");
  expect(read()).toEqual(["one"]);
  writeFileSync(file, "two");
  utimesSync(file, 1, 1);
  expect(read()).toEqual(["two"]);
});
