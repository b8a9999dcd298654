import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { CancelSignal, SuspendSignal } from "../../../../src/core/protocol/signals.ts";
import type { FileState } from "../../../../src/core/protocol/tool-result.ts";
import { describeChanges } from "../../../../src/features/managed/worktrees/diff.ts";
import { createExecutorWorktrees } from "../../../../src/features/managed/worktrees/executor-worktrees.ts";
import type { MergedFile } from "../../../../src/features/managed/worktrees/merge.ts";
import { createFileRestore } from "../../../../src/tools/restore-files.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";
import { copied, NOBODY, put, type Side, signal } from "./copied.ts";

const BASE = "one\ntwo\nthree\nfour\nfive\n";

const cases: readonly {
  name: string;
  theirs: string | null;
  here?: string | null;
  base?: string | null;
  outcome: string;
  result: string | null;
}[] = [
  { name: "changed by the executor alone", theirs: "new\n", outcome: "merged", result: "new\n" },
  { name: "added by the executor", base: null, theirs: "new\n", outcome: "merged", result: "new\n" },
  { name: "deleted by the executor alone", theirs: null, outcome: "merged", result: null },
  { name: "changed alike on both sides", theirs: "new\n", here: "new\n", outcome: "there already", result: "new\n" },
  {
    name: "changed at different lines",
    theirs: "ONE\ntwo\nthree\nfour\nfive\n",
    here: "one\ntwo\nthree\nfour\nFIVE\n",
    outcome: "merged",
    result: "ONE\ntwo\nthree\nfour\nFIVE\n",
  },
  {
    name: "changed at the same line",
    theirs: "ONE\ntwo\nthree\nfour\nfive\n",
    here: "1\ntwo\nthree\nfour\nfive\n",
    outcome: "conflict",
    result: "1\ntwo\nthree\nfour\nfive\n",
  },
  { name: "deleted here, changed by the executor", theirs: "new\n", here: null, outcome: "conflict", result: null },
  { name: "changed here, deleted by the executor", theirs: null, here: "new\n", outcome: "conflict", result: "new\n" },
  { name: "added on both sides", base: null, theirs: "a\n", here: "b\n", outcome: "conflict", result: "b\n" },
];

test.each(cases)("a file $name: $outcome", async ({ theirs, here, base = BASE, outcome, result }) => {
  const side = (content: string | null | undefined): Side => (content === undefined ? {} : { "src/file.txt": content });
  const at = await copied(base === null ? {} : side(base), { theirs: side(theirs), here: side(here) });
  const [first] = await at.merge();
  expect(first?.outcome).toBe(outcome);
  expect(at.read("src/file.txt")).toBe(result);
  // A process that died in between merges again.
  await at.merge();
  expect(at.read("src/file.txt")).toBe(result);
});

test("a binary file is replaced whole, or is a conflict", async () => {
  const at = await copied({ "a.bin": "\u0000a" }, { theirs: { "a.bin": "\u0000b" } });
  writeFileSync(path.join(at.root, "a.bin"), Buffer.from([0xff, 0xfe]));
  expect(await at.merge()).toMatchObject([{ outcome: "conflict", why: "not text, and changed on both sides" }]);
});

test.each([
  ["not text, and changed on both sides", "Binary", (a: string, z: string) => `${a}\0\n\n\n\n${z}\n`],
  ["too large to merge", "too many", (a: string, z: string) => `${a}\n\n\n${"x".repeat(16_000_000)}\n\n\n${z}\n`],
])("a conflict that concerns no lines names its cause: %s", async (why, shown, content) => {
  const at = await copied(
    { f: content("a", "b") },
    { theirs: { f: content("A", "b") }, here: { f: content("a", "B") } },
  );
  const [first] = await at.merge();
  expect(first).toMatchObject({ outcome: "conflict" });
  expect(first?.why).toContain(why);
  expect(await describeChanges(await at.changes(), { worktree: at.worktree, signal })).toContain(shown);
});

test("files that instruct agents are left to a person", async () => {
  const at = await copied({ "AGENTS.md": "Be kind.\n" }, { theirs: { "AGENTS.md": "Obey.\n" } });
  expect(await at.merge()).toMatchObject([{ outcome: "left out" }]);
  expect(at.read("AGENTS.md")).toBe("Be kind.\n");
});

test("a worktree contains plain files with their modes, but no links, .git or node_modules", async () => {
  const root = tempDirectory();
  put(root, { "run.sh": "true\n", ".env": "A=1\n", ".git/config": "", "node_modules/x/index.js": "" });
  chmodSync(path.join(root, "run.sh"), 0o755);
  symlinkSync("/etc/passwd", path.join(root, "link"));
  const worktrees = createExecutorWorktrees(tempDirectory());
  await worktrees.make("agt_1", { root, ...NOBODY }, signal);
  const { tree } = worktrees.of("agt_1");
  expect(
    ["run.sh", ".env", ".git", "node_modules", "link"].filter((name) => existsSync(path.join(tree, name))),
  ).toEqual(["run.sh", ".env"]);
  expect(statSync(path.join(tree, "run.sh")).mode & 0o777).toBe(0o755);
  writeFileSync(path.join(root, "run.sh"), "false\n");
  await worktrees.make("agt_1", { root, ...NOBODY }, signal);
  expect(readFileSync(path.join(tree, "run.sh"), "utf8")).toBe("true\n");
});

const isRoot = process.getuid?.() === 0;

test("a file that disappears during copying, and a name that is not valid Unicode, do not affect other files", async () => {
  const root = tempDirectory();
  const names = Array.from({ length: 80 }, (_, index) => `f${index}`);
  put(root, Object.fromEntries([...names, "gone/x"].map((name) => [name, "x"])));
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x61, 0xff])]), "latin-1");
  chmodSync(path.join(root, "f1"), 0o044);
  const worktrees = createExecutorWorktrees(tempDirectory());
  const { tree } = worktrees.of("agt_1");
  const made = worktrees.make("agt_1", { root, ...NOBODY }, signal);
  const all = path.join(path.dirname(tree), "..");
  const making = () =>
    readdirSync(all).flatMap((name) => (name.endsWith(".making") ? path.join(all, name, "tree") : []));
  const hasBegun = () => existsSync(all) && making().some((each) => existsSync(each) && readdirSync(each).length > 0);
  await vi.waitUntil(hasBegun, { interval: 0, timeout: 60_000 });
  rmSync(path.join(root, "gone"), { recursive: true });
  await made;
  // Its owner may not read f1; root may.
  const readable = names.filter((name) => isRoot || name !== "f1");
  expect(readdirSync(tree).sort()).toEqual(readable.toSorted());
  if (isRoot) expect(statSync(path.join(tree, "f1")).mode & 0o777).toBe(0o444);
  writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0x61, 0xff])]), "latin-1");
  put(tree, { f0: "y" });
  expect(await worktrees.changes("agt_1", signal)).toMatchObject([{ kind: "changed", path: "f0" }]);
});

test("a file that is too large for a worktree is named, with what can be done", async () => {
  const at = await copied({ "dump.sql": "x" }, {});
  truncateSync(path.join(at.root, "dump.sql"), 50_000_001);
  await expect(at.worktrees.make("agt_2", { root: at.root, ...NOBODY }, signal)).rejects.toThrow(
    /^dump\.sql alone is larger than 50 MB.*Turn executorIsolation off/u,
  );
  expect((await at.worktrees.list()).map(({ name }) => name)).toEqual(["agt_1"]);
});

test("a diff names every changed file and shows the lines", async () => {
  const at = await copied(
    { "a.txt": BASE, "b.txt": "b\n" },
    { theirs: { "a.txt": BASE.replace("two", "TWO"), "b.txt": null, "c.txt": "c\n" } },
  );
  const text = await describeChanges(await at.changes(), { worktree: at.worktree, signal });
  expect(text.split("\n\n")[0]).toBe("changed: a.txt\ndeleted: b.txt\nadded: c.txt");
  expect(text).toContain("-two\n+TWO");
});

test("a diff omits files that look like secrets, however they were changed", async () => {
  const secret = "db.test:5432:app:app:hunter2-4711\n";
  const at = await copied(
    { ".pgpass": secret, "b/.pgpass": secret, "c.env": "A=hunter2-4711\n" },
    { theirs: { ".pgpass": null, "b/.pgpass": `${secret}more\n`, "c.env": null, "d.env": "A=hunter2-4711\nB=1\n" } },
  );
  const text = await describeChanges(await at.changes(), { worktree: at.worktree, signal });
  expect(text).toMatch(/changed: b\/\.pgpass[^]*looks like a credentials file/u);
  expect(text).not.toContain("hunter2");
});

test("a file that became a directory, and a directory that became a file, are merged", async () => {
  const at = await copied(
    { a: "a\n", "b/deep/x": "x\n", "b/y": "y\n", "kept/z": "z\n" },
    { theirs: { a: null, "b/deep/x": null, "b/y": null, "kept/z": null } },
  );
  rmSync(path.join(at.worktree.tree, "b"), { recursive: true });
  put(at.worktree.tree, { "a/inside": "in\n", b: "b\n" });
  expect((await at.merge()).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => "merged"));
  const isFile = (file: string) => statSync(path.join(at.root, file)).isFile();
  expect(["a/inside", "b", "kept"].map(isFile)).toEqual([true, true, false]);
});

test("a directory that is empty here is replaced by the executor's file; one with other content stays", async () => {
  const at = await copied(
    { "a/deep/x": "x\n", "b/x": "x\n" },
    { theirs: { "a/deep/x": null, "b/x": null }, here: { "a/deep/x": null, "b/mine": "m\n" } },
  );
  for (const name of ["a", "b"]) {
    rmSync(path.join(at.worktree.tree, name), { recursive: true });
    put(at.worktree.tree, { [name]: "file\n" });
  }
  expect((await at.merge()).map(({ path: file, outcome }) => `${file}: ${outcome}`)).toEqual([
    "a: merged",
    "a/deep/x: there already",
    "b: conflict",
    "b/x: merged",
  ]);
  expect([at.read("a"), at.read("b/mine")]).toEqual(["file\n", "m\n"]);
});

test("a path that is blocked in the root is a conflict of that file alone", async () => {
  const at = await copied(
    { "a/x": "x\n", b: "b\n", z: "z\n" },
    { theirs: { "a/x": "X\n", b: "B\n", new: "n\n", z: "Z\n" } },
  );
  rmSync(path.join(at.root, "a"), { recursive: true });
  unlinkSync(path.join(at.root, "b"));
  put(at.root, { a: "a file now\n", "b/c": "a directory now\n" });
  symlinkSync("/etc/hostname", path.join(at.root, "new"));
  const merged = await at.merge();
  expect(merged.map(({ path: file, outcome }) => `${file}: ${outcome}`)).toEqual([
    "a/x: conflict",
    "b: conflict",
    "new: conflict",
    "z: merged",
  ]);
  expect([at.read("a"), at.read("b/c"), at.read("z")]).toEqual(["a file now\n", "a directory now\n", "Z\n"]);
});

test("a link cannot be used to overwrite a file that instructs agents", async () => {
  const at = await copied(
    { "x.md": "x\n" },
    { theirs: { "notes.md": "Obey.\n", "docs/AGENTS2.md": "Obey.\n", "docs/new/s.md": "Obey.\n" } },
  );
  symlinkSync("AGENTS.md", path.join(at.root, "notes.md"));
  mkdirSync(path.join(at.root, ".agents"));
  symlinkSync(".agents", path.join(at.root, "docs"));
  expect((await at.merge()).map(({ outcome }) => outcome)).toEqual(["conflict", "conflict", "conflict"]);
  expect(
    ["AGENTS.md", ".agents/AGENTS2.md", ".agents/new"].map((file) => existsSync(path.join(at.root, file))),
  ).toEqual([false, false, false]);
});

test("the target of a link in the root is neither removed nor replaced", async () => {
  const at = await copied({ a: "a\n", b: "b\n", "d/x": "x\n" }, { theirs: { a: null, b: "B\n", "d/x": null } });
  const others = { a2: "a\n", b2: "b\n", "d2/x": "x\n" };
  put(at.root, others);
  for (const name of ["a", "b", "d"]) {
    rmSync(path.join(at.root, name), { recursive: true });
    symlinkSync(`${name}2`, path.join(at.root, name));
  }
  expect((await at.merge()).map(({ outcome }) => outcome)).toEqual(["conflict", "conflict", "conflict"]);
  expect(Object.keys(others).map(at.read)).toEqual(Object.values(others));
});

test("an executable file stays executable when it is moved and when it is restored", async () => {
  const at = await copied({ "run.sh": "true\n" }, {});
  for (const root of [at.root, at.worktree.tree]) chmodSync(path.join(root, "run.sh"), 0o755);
  renameSync(path.join(at.worktree.tree, "run.sh"), path.join(at.worktree.tree, "go.sh"));
  await at.merge();
  expect(statSync(path.join(at.root, "go.sh")).mode & 0o777).toBe(0o755);
  const restore = createFileRestore({ snapshots: at.snapshots, sandboxRootOf: () => at.root });
  const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" } as const;
  await restore({ thread, steps: [{ path: "run.sh", from: null, to: hash("true\n") }], instructions: false });
  expect(statSync(path.join(at.root, "run.sh")).mode & 0o777).toBe(0o755);
});

test("hostile file names are listed on one line each", async () => {
  const names = ["-rf", "a\nmerged: b", "\u202etxt.exe", "$(reboot)", "\u200b"];
  const at = await copied({ x: "x" }, { theirs: Object.fromEntries(names.map((name) => [name, "n\n"])) });
  const text = await describeChanges(await at.changes(), { worktree: at.worktree, signal });
  const [list] = text.split("\n\n");
  expect(list?.split("\n")).toHaveLength(names.length);
  expect(list).not.toMatch(/[\u202e\u200b]/u);
  expect((await at.merge()).map(({ outcome }) => outcome)).toEqual(names.map(() => "merged"));
  expect(names.map((name) => at.read(name))).toEqual(names.map(() => "n\n"));
});

test("a removed worktree is reported, and not treated as an empty one", async () => {
  const at = await copied({ x: "x" }, { theirs: { x: "y" } });
  await at.worktrees.remove("agt_1");
  await expect(at.changes()).rejects.toThrow("Its copy no longer exists");
  expect(existsSync(path.dirname(at.worktree.tree))).toBe(false);
});

test("a merge keeps each file's previous content, and notes which directories it created", async () => {
  const at = await copied({ "a.txt": "one\n" }, { theirs: { "a.txt": "two\n", "new/d/n.txt": "n", "new/o.txt": "o" } });
  const states = (await at.merge()).map(({ state }) => state);
  const sha256 = createHash("sha256").update("one\n").digest("hex");
  expect(states.map((state) => state?.before ?? state?.made)).toEqual([sha256, "new", undefined]);
  expect(readFileSync(path.join(at.snapshots, sha256), "utf8")).toBe("one\n");
});

const THREE = { base: { a: "a\n", b: "b\n", c: "c\n" }, theirs: { a: "A\n", b: null, c: "C\n", d: "D\n" } };
const hash = (content: string) => createHash("sha256").update(content).digest("hex");
/** Previous content of each file, by path. */
const befores = (files: readonly MergedFile[]) =>
  Object.fromEntries(files.map(({ path, state }) => [path, state?.before]));
const WHOLE = { a: hash("a\n"), b: hash("b\n"), c: hash("c\n"), d: null };

test.each(["a", "b", "c", "d"])(
  "after a crash before or after %s was replaced, the merge still knows every file's previous content",
  async (cut) => {
    for (const isReplaced of [false, true]) {
      const at = await copied(THREE.base, { theirs: THREE.theirs });
      const killed = new Error("killed");
      const controller = new AbortController();
      const onNote = ({ path: file }: FileState) => {
        if (file !== cut) return;
        if (!isReplaced) throw killed;
        controller.abort(new SuspendSignal("killed", 0));
      };
      const [end] = await Promise.allSettled([at.run("call_1", { onNote, by: controller.signal })]);
      // The last file is replaced before the signal is checked.
      expect(end?.status).toBe(isReplaced && cut === "d" ? "fulfilled" : "rejected");
      const files = await at.merge("call_1");
      expect(files.map(({ outcome }) => outcome)).toEqual(["merged", "merged", "merged", "merged"]);
      expect(befores(files)).toEqual(WHOLE);
      expect(["a", "b", "c", "d"].map(at.read)).toEqual(["A\n", null, "C\n", "D\n"]);
    }
  },
);

test("files that another call has merged count as already there, without a previous content", async () => {
  const at = await copied(THREE.base, { theirs: THREE.theirs });
  await at.merge("call_1");
  expect((await at.merge("call_2")).map(({ outcome, state }) => [outcome, state])).toEqual(
    Array.from({ length: 4 }, () => ["there already", null]),
  );
});

test("a journal entry torn by a power cut is ignored, and the next one counts", async () => {
  const at = await copied(THREE.base, { theirs: THREE.theirs });
  await at.run("call_1", { onNote: cutShort }).catch(() => {});
  const [log] = readdirSync(at.worktree.merges);
  appendFileSync(path.join(at.worktree.merges, log ?? ""), '\n{"path":"a","sha');
  await at.run("call_1", { onNote: cutShort }).catch(() => {});
  expect(befores(await at.merge("call_1"))).toEqual(WHOLE);
});

function cutShort(): never {
  throw new Error("killed");
}

const ANA = { by: "person", name: "@ana" } as const;

test("a person's stop ends the merge between two files, and the merged ones are reported", async () => {
  const at = await copied(THREE.base, { theirs: THREE.theirs });
  const controller = new AbortController();
  const onNote = ({ path: file }: FileState) => file === "a" && controller.abort(new CancelSignal(ANA));
  const { files, stoppedBy } = await at.run("call_1", { onNote, by: controller.signal });
  expect(stoppedBy).toEqual(ANA);
  expect(befores(files)).toEqual({ a: WHOLE.a, b: WHOLE.b });
  expect(["a", "b", "c", "d"].map(at.read)).toEqual(["A\n", null, "c\n", null]);
});

test("a stop during the resumption of an interrupted merge still reports the files merged before", async () => {
  const at = await copied(THREE.base, { theirs: THREE.theirs });
  const killed = (state: FileState) => (state.path === "d" ? cutShort() : undefined);
  await expect(at.run("call_1", { onNote: killed })).rejects.toThrow("killed");
  const { files, stoppedBy } = await at.run("call_1", { by: AbortSignal.abort(new CancelSignal(ANA)) });
  expect(stoppedBy).toEqual(ANA);
  expect(befores(files)).toEqual({ a: WHOLE.a, b: WHOLE.b, c: WHOLE.c });
});

test("a file that somebody changes during its removal stays, as a conflict", async () => {
  const at = await copied(THREE.base, { theirs: THREE.theirs });
  const onNote = ({ path: file }: FileState) => {
    if (file === "b") put(at.root, { b: "mine\n" });
  };
  const { files } = await at.run("call_1", { onNote });
  expect(files.map(({ outcome }) => outcome)).toEqual(["merged", "conflict", "merged", "merged"]);
  expect(at.read("b")).toBe("mine\n");
});
