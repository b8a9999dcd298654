import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { netChanges } from "../../src/core/history/run-changes.ts";
import { createFileRestore } from "../../src/tools/restore-files.ts";
import { createSandbox } from "../../src/tools/wasm/sandbox.ts";
import { buildGuests, SANDBOX_CHILD } from "../support/program/built.ts";
import { removeDirectory } from "../support/remove-directory.ts";
import { fileSession, text } from "./file-session.ts";

const home = mkdtempSync(path.join(tmpdir(), "deckhand-kept-"));
const snapshots = path.join(home, "snapshots");
const sandbox = createSandbox({ ...SANDBOX_CHILD, snapshots });
beforeAll(async () => {
  await buildGuests();
});
afterAll(async () => {
  await sandbox.close();
  await removeDirectory(home);
});

const hash = (content: string) => createHash("sha256").update(content).digest("hex");
const kept = (content: string) => readFileSync(path.join(snapshots, hash(content)), "utf8");

test("edit and write report the previous content's hash, and the content is kept", async () => {
  const session = fileSession(sandbox);
  session.put("a.txt", "one\n");
  await session.run("read", { path: "a.txt" });
  const edited = await session.run("edit", { path: "a.txt", old_string: "one", new_string: "two" });
  expect(edited.files).toEqual([{ path: "a.txt", sha256: hash("two\n"), action: "wrote", before: hash("one\n") }]);
  expect(kept("one\n")).toBe("one\n");
  const written = await session.run("write", { path: "new.txt", content: "x" });
  expect(written.files).toEqual([{ path: "new.txt", sha256: hash("x"), action: "wrote", before: null }]);
});

test.each([
  { what: "removed", command: "rm bin/run.sh" },
  { what: "removed with its directory", command: "rm -r bin" },
  { what: "replaced", command: "rm bin/run.sh; echo new > bin/run.sh" },
])(
  "an executable that was $what is executable again after it is restored, and a plain file is not",
  async ({ command }) => {
    const session = fileSession(sandbox);
    for (const name of ["bin/run.sh", "bin/notes.txt"]) session.put(name, "echo hi\n");
    const at = (name: string) => path.join(session.root, name);
    chmodSync(at("bin/run.sh"), 0o750);
    chmodSync(at("bin/notes.txt"), 0o640);
    const { files = [] } = await session.run("bash", { command: `${command}; rm -f bin/notes.txt` });
    const restore = createFileRestore({ snapshots, sandboxRootOf: () => session.root });
    const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" } as const;
    const steps = files.map((file) => ({ path: file.path, from: file.sha256, to: file.before ?? null }));
    const again = steps.map((step) => ({ path: step.path, from: step.to, to: step.from }));
    for (const each of [steps, again, steps]) {
      const outcomes = await restore({ thread, steps: each, instructions: false });
      expect(outcomes.map(({ type }) => type)).toEqual(["restored", "restored"]);
    }
    expect(statSync(at("bin/run.sh")).mode & 0o777).toBe(0o750);
    expect(statSync(at("bin/notes.txt")).mode & 0o111).toBe(0);
  },
);

/** All directories beneath the root, in order. */
function directoriesOf(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isDirectory());
  return found.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))).toSorted();
}

test.each<{ name: string; input: object; made: string | undefined }>([
  { name: "write", input: { path: "old/new/a/f.txt", content: "x" }, made: "old/new" },
  { name: "write", input: { path: "old/f.txt", content: "x" }, made: undefined },
  { name: "bash", input: { command: "mkdir -p old/new/a; echo x > old/new/a/f.txt" }, made: "old/new" },
  { name: "bash", input: { command: "mkdir empty/a; echo x > empty/a/f.txt" }, made: "empty/a" },
  { name: "bash", input: { command: "rm -r empty; mkdir -p empty/a; echo x > empty/a/f.txt" }, made: "empty/a" },
  { name: "bash", input: { command: "echo x > empty/f.txt" }, made: undefined },
  { name: "bash", input: { command: "cp -r old new; rm -r old/deep" }, made: "new" },
  { name: "bash", input: { command: "mv old new" }, made: "new" },
  {
    name: "js_exec",
    input: { code: "fs.mkdirSync('a/b', {recursive: true}); fs.writeFileSync('a/b/f', 'x')" },
    made: "a",
  },
])("undoing $name $input restores exactly the earlier directories", async ({ name, input, made }) => {
  const session = fileSession(sandbox);
  session.put("old/deep/x.txt", "x\n");
  mkdirSync(path.join(session.root, "empty"));
  const before = directoriesOf(session.root);
  const { files = [] } = await session.run(name, input);
  expect(files.find((file) => file.before === null)?.made).toBe(made);
  const restore = createFileRestore({ snapshots, sandboxRootOf: () => session.root });
  const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" } as const;
  const steps = files.map(({ path: file, sha256, before: to = null, made: top }) => {
    return { path: file, from: sha256, to, ...(top === undefined ? {} : { made: top }) };
  });
  await restore({ thread, steps, instructions: false });
  expect(directoriesOf(session.root)).toEqual(before);
});

test("a command's changes report the content before the call, however often a file changes", async () => {
  const session = fileSession(sandbox);
  session.put("grown.txt", "start\n");
  session.put("gone.txt", "gone\n");
  session.put("moved.txt", "moved\n");
  session.put("over.txt", "over\n");
  session.put("tree/a/b.txt", "deep\n");
  session.put("renamed/c.txt", "in a tree\n");
  const command = [
    "echo 1 >> grown.txt; echo 2 >> grown.txt",
    "rm gone.txt; mv moved.txt over.txt; rm -r tree; mv renamed named; echo n > new.txt",
  ].join("\n");
  const { files = [] } = await session.run("bash", { command });
  const befores = new Map(files.map(({ path: name, before }) => [name, before]));
  expect(Object.fromEntries(befores)).toEqual({
    "grown.txt": hash("start\n"),
    "gone.txt": hash("gone\n"),
    "moved.txt": hash("moved\n"),
    "over.txt": hash("over\n"),
    "tree/a/b.txt": hash("deep\n"),
    "renamed/c.txt": hash("in a tree\n"),
    "named/c.txt": null,
    "new.txt": null,
  });
  for (const before of befores.values()) {
    if (typeof before === "string") expect(existsSync(path.join(snapshots, before))).toBe(true);
  }
  expect(existsSync(path.join(snapshots, hash("start\n1\n")))).toBe(false);
});

test("contents changed by js_exec are kept as well", async () => {
  const session = fileSession(sandbox);
  session.put("p.txt", "before the program");
  const code = 'import fs from "node:fs"; fs.writeFileSync("p.txt", "after"); fs.unlinkSync("p.txt");';
  const { files } = await session.run("js_exec", { code });
  expect(files).toEqual([{ path: "p.txt", sha256: null, action: "wrote", before: hash("before the program") }]);
  expect(kept("before the program")).toBe("before the program");
});

test("a file that is too large, and a link, are changed without keeping the content", async () => {
  const session = fileSession(sandbox);
  session.put("large.bin", Buffer.alloc(16_777_217));
  session.put("target.txt", "t");
  symlinkSync("target.txt", path.join(session.root, "link"));
  const { files, isError } = await session.run("bash", { command: "rm large.bin link" });
  expect(isError).toBe(false);
  expect(files).toEqual([
    { path: "large.bin", sha256: null, action: "wrote" },
    { path: "link", sha256: null, action: "wrote" },
  ]);
});

test("kept contents are readable by the bot's user only, stored once, and renewed when met again", async () => {
  const session = fileSession(sandbox);
  session.put("a.txt", "twice met");
  await session.run("bash", { command: "rm a.txt" });
  const file = path.join(snapshots, hash("twice met"));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(snapshots).mode & 0o777).toBe(0o700);
  utimesSync(file, 1_000, 1_000);
  session.put("b.txt", "twice met");
  await session.run("bash", { command: "rm b.txt" });
  expect(statSync(file).mtimeMs).toBeGreaterThan(1_000_000);
  expect(readdirSync(snapshots).filter((name) => name.includes("tmp"))).toEqual([]);
});

const UNFINISHED = ".deckhand-0123456789abcdef.tmp";

test("moving and removing directories lists the files within", async () => {
  const session = fileSession(sandbox);
  session.put("d/a.txt", "a");
  session.put("d/e/b.txt", "b");
  session.put("r/c.txt", "c");
  for (const directory of ["d", "r/of-a-write-that-died"]) session.put(`${directory}/${UNFINISHED}`, "");
  const result = await session.run("bash", { command: "mv d moved && rm -r r; ls" });
  expect(text(result)).toContain("stdout:\nmoved");
  const states = Object.fromEntries((result.files ?? []).map(({ path: file, sha256 }) => [file, sha256]));
  expect(states).toEqual({
    "d/a.txt": null,
    "d/e/b.txt": null,
    "moved/a.txt": hash("a"),
    "moved/e/b.txt": hash("b"),
    "r/c.txt": null,
  });
});

test("a failed removal of a non-empty directory removes nothing, not even a temporary file", async () => {
  const session = fileSession(sandbox);
  for (const file of ["a.txt", UNFINISHED]) session.put(`d/${file}`, "");
  expect(text(await session.run("js_exec", { code: 'fs.rmdirSync("d")' }))).toContain("ENOTEMPTY");
  expect(readdirSync(path.join(session.root, "d"))).toEqual([UNFINISHED, "a.txt"]);
});

test("a partially removed directory lists the files that are gone", async () => {
  const session = fileSession(sandbox);
  session.put("d/a.txt", "a");
  session.put(`d${`/${"n".repeat(250)}`.repeat(14)}`, "out of reach");
  const result = await session.run("bash", { command: "rm -r d" });
  expect(text(result)).toContain("The path is longer than");
  expect(result.files).toEqual([{ path: "d/a.txt", sha256: null, action: "wrote", before: hash("a") }]);
});

test("if previous contents cannot be reported, the script's result and changed files are, without undo", async () => {
  const session = fileSession(sandbox, { limits: { files: { outputBytes: 1 } } });
  session.put("old.txt", "old\n");
  const result = await session.run("bash", { command: "echo a | tee f.txt; echo b >> old.txt" });
  expect(text(result)).toBe("exit code 0\nstdout:\na");
  expect(netChanges(result.files ?? [])).toMatchObject([
    { path: "f.txt", before: undefined, after: null },
    { path: "old.txt", before: undefined, after: null },
  ]);
});
