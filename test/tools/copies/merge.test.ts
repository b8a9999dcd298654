import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeChanges } from "../../../src/tools/copies/diff.ts";
import { createExecutorCopies } from "../../../src/tools/copies/executor-copies.ts";
import { type MergedFile, mergeChanges } from "../../../src/tools/copies/merge.ts";

const { signal } = new AbortController();
const BASE = "one\ntwo\nthree\nfour\nfive\n";

interface Side {
  /** Null: deleted. */
  readonly [path: string]: string | null;
}

function put(root: string, files: Side): void {
  for (const [file, content] of Object.entries(files)) {
    const at = path.join(root, file);
    mkdirSync(path.dirname(at), { recursive: true });
    if (content === null) unlinkSync(at);
    else writeFileSync(at, content);
  }
}

/** A root with a copy of it, in which `theirs` was done while `here` was done in the root. */
async function copied(base: Side, { theirs = {}, here = {} }: { theirs?: Side; here?: Side }) {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-copies-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const root = path.join(directory, "root");
  mkdirSync(root);
  put(root, base);
  const copies = createExecutorCopies(path.join(directory, "home"));
  await copies.make("agt_1", root, signal);
  const copy = copies.of("agt_1");
  put(copy.tree, theirs);
  put(root, here);
  const snapshots = path.join(directory, "home", "snapshots");
  const merge = async (): Promise<MergedFile[]> =>
    mergeChanges(await copies.changes("agt_1", signal), { root, copy, snapshots, signal });
  const read = (file: string) =>
    existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), "utf8") : null;
  return { root, copies, copy, snapshots, merge, read };
}

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
  // A process that died in between does it again.
  await at.merge();
  expect(at.read("src/file.txt")).toBe(result);
});

test("bytes that are no text are taken whole, or are a conflict", async () => {
  const at = await copied({ "a.bin": "\u0000a" }, { theirs: { "a.bin": "\u0000b" } });
  writeFileSync(path.join(at.root, "a.bin"), Buffer.from([0xff, 0xfe]));
  expect(await at.merge()).toMatchObject([{ outcome: "conflict", why: "no text, and changed on both sides" }]);
});

test("what instructs agents is left to a person", async () => {
  const at = await copied({ "AGENTS.md": "Be kind.\n" }, { theirs: { "AGENTS.md": "Obey.\n" } });
  expect(await at.merge()).toMatchObject([{ outcome: "left out" }]);
  expect(at.read("AGENTS.md")).toBe("Be kind.\n");
});

test("a copy holds plain files with their modes, and neither links, .git nor node_modules", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-copies-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const root = path.join(directory, "root");
  put(root, { "run.sh": "true\n", ".env": "A=1\n", ".git/config": "", "node_modules/x/index.js": "" });
  chmodSync(path.join(root, "run.sh"), 0o755);
  symlinkSync("/etc/passwd", path.join(root, "link"));
  const copies = createExecutorCopies(path.join(directory, "home"));
  await copies.make("agt_1", root, signal);
  const { tree } = copies.of("agt_1");
  expect(
    ["run.sh", ".env", ".git", "node_modules", "link"].filter((name) => existsSync(path.join(tree, name))),
  ).toEqual(["run.sh", ".env"]);
  expect(statSync(path.join(tree, "run.sh")).mode & 0o777).toBe(0o755);
  writeFileSync(path.join(root, "run.sh"), "false\n");
  await copies.make("agt_1", root, signal);
  expect(readFileSync(path.join(tree, "run.sh"), "utf8")).toBe("true\n");
});

test("a diff names every changed file and shows the lines", async () => {
  const at = await copied(
    { "a.txt": BASE, "b.txt": "b\n" },
    { theirs: { "a.txt": BASE.replace("two", "TWO"), "b.txt": null, "c.txt": "c\n" } },
  );
  const text = await describeChanges(await at.copies.changes("agt_1", signal), at.copy, signal);
  expect(text.split("\n\n")[0]).toBe("changed: a.txt\ndeleted: b.txt\nadded: c.txt");
  expect(text).toContain("-two\n+TWO");
});

test("a file that became a directory, and a directory that became a file, are taken as they are", async () => {
  const at = await copied(
    { a: "a\n", "b/deep/x": "x\n", "b/y": "y\n", "kept/z": "z\n" },
    { theirs: { a: null, "b/deep/x": null, "b/y": null, "kept/z": null } },
  );
  rmSync(path.join(at.copy.tree, "b"), { recursive: true });
  put(at.copy.tree, { "a/inside": "in\n", b: "b\n" });
  expect((await at.merge()).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => "merged"));
  expect(["a/inside", "b", "kept"].map((file) => statSync(path.join(at.root, file)).isFile())).toEqual([
    true,
    true,
    false,
  ]);
});

test("what the place of one file does not permit is a conflict of that file alone", async () => {
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

test("a link is no way to what instructs agents", async () => {
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

test("hostile names are told of on one line each", async () => {
  const names = ["-rf", "a\nmerged: b", "\u202etxt.exe", "$(reboot)", "\u200b"];
  const at = await copied({ x: "x" }, { theirs: Object.fromEntries(names.map((name) => [name, "n\n"])) });
  const text = await describeChanges(await at.copies.changes("agt_1", signal), at.copy, signal);
  const [list] = text.split("\n\n");
  expect(list?.split("\n")).toHaveLength(names.length);
  expect(list).not.toMatch(/[\u202e\u200b]/u);
  expect((await at.merge()).map(({ outcome }) => outcome)).toEqual(names.map(() => "merged"));
  expect(names.map((name) => at.read(name))).toEqual(names.map(() => "n\n"));
});

test("a copy that was removed is told of, and is not taken for an empty one", async () => {
  const at = await copied({ x: "x" }, { theirs: { x: "y" } });
  await at.copies.remove("agt_1");
  await expect(at.copies.changes("agt_1", signal)).rejects.toThrow("there no more");
  expect(existsSync(path.dirname(at.copy.tree))).toBe(false);
});

test("what a file held before a merge is kept", async () => {
  const at = await copied({ "a.txt": "one\n" }, { theirs: { "a.txt": "two\n", "new.txt": "n" } });
  const states = (await at.merge()).map(({ state }) => state);
  const sha256 = createHash("sha256").update("one\n").digest("hex");
  expect(states.map((state) => state?.before)).toEqual([sha256, null]);
  expect(readFileSync(path.join(at.snapshots, sha256), "utf8")).toBe("one\n");
});
