import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { FileStep } from "../../src/core/store/run/undos.ts";
import { createFileRestore } from "../../src/tools/restore-files.ts";
import { keepContent } from "../../src/tools/wasm/workspace/kept-content.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const THREAD = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" } as const;
const hash = (content: string) => createHash("sha256").update(content).digest("hex");

function restoring() {
  const home = tempDirectory();
  const root = path.join(home, "root");
  const snapshots = path.join(home, "snapshots");
  mkdirSync(root);
  const restore = createFileRestore({ snapshots, sandboxRootOf: () => root });
  const at = (name: string) => path.join(root, name);
  return {
    root,
    snapshots,
    read: (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : null),
    put: (name: string, content: string) => {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
    },
    keep: (content: string) => keepContent(snapshots, Buffer.from(content)),
    step: (name: string, from: string | null, to: string | null): FileStep => ({
      path: name,
      from: from === null ? null : hash(from),
      to: to === null ? null : hash(to),
    }),
    outcomes: async (steps: readonly FileStep[], instructions = false) =>
      (await restore({ thread: THREAD, steps, instructions })).map(({ type }) => type),
  };
}

test("a content that cannot be kept leaves no files behind", () => {
  const at = restoring();
  mkdirSync(path.join(at.snapshots, hash("x"), "in its place"), { recursive: true });
  expect(() => at.keep("x")).toThrow();
  expect(readdirSync(at.snapshots)).toEqual([hash("x")]);
});

test.each<[string, string | null, string | null]>([
  ["one that was changed", "after", "before"],
  ["one that was created", "after", null],
  ["one that was removed", null, "before"],
])("undoing %s works, can be redone, and is idempotent", async (_what, from, to) => {
  const at = restoring();
  if (from !== null) at.put("dir/f.txt", from);
  if (to !== null) at.keep(to);
  expect(await at.outcomes([at.step("dir/f.txt", from, to)])).toEqual(["restored"]);
  expect(at.read("dir/f.txt")).toBe(to);
  expect(await at.outcomes([at.step("dir/f.txt", from, to)])).toEqual(["restored"]);
  expect(await at.outcomes([at.step("dir/f.txt", to, from)])).toEqual(["restored"]);
  expect(at.read("dir/f.txt")).toBe(from);
});

test("a file that became a directory can be restored and redone, and files from elsewhere stay", async () => {
  const at = restoring();
  at.keep("file");
  at.keep("inside");
  at.put("a/deep/inside", "inside");
  const back = [at.step("a", null, "file"), at.step("a/deep/inside", "inside", null)];
  expect(await at.outcomes(back)).toEqual(["restored", "restored"]);
  expect(at.read("a")).toBe("file");
  const again = [at.step("a", "file", null), at.step("a/deep/inside", null, "inside")];
  expect(await at.outcomes(again)).toEqual(["restored", "restored"]);
  expect(at.read("a/deep/inside")).toBe("inside");
  at.put("a/mine", "mine");
  expect(await at.outcomes(back)).toEqual(["changed", "restored"]);
  expect(at.read("a/mine")).toBe("mine");
});

test("undo removes directories that were created with files, if they are empty", async () => {
  const at = restoring();
  at.put("was/new/a/f.txt", "after");
  at.put("was/new/g.txt", "after");
  at.put("kept/new/f.txt", "after");
  at.put("kept/new/mine.txt", "mine");
  at.put("old/f.txt", "after");
  at.put("by hand/f.txt", "by hand");
  const steps = [
    { ...at.step("was/new/g.txt", "after", null), made: "was/new" },
    { ...at.step("was/new/a/f.txt", "after", null), made: "was/new/a" },
    { ...at.step("kept/new/f.txt", "after", null), made: "kept" },
    at.step("old/f.txt", "after", null),
    { ...at.step("by hand/f.txt", "after", null), made: "by hand" },
  ];
  expect(await at.outcomes(steps)).toEqual(["restored", "restored", "restored", "restored", "changed"]);
  expect(readdirSync(at.root).toSorted()).toEqual(["by hand", "kept", "old", "was"]);
  expect(readdirSync(path.join(at.root, "was"))).toEqual([]);
  expect(readdirSync(path.join(at.root, "kept/new"))).toEqual(["mine.txt"]);
  // A directory that somebody has created again since is left alone.
  mkdirSync(path.join(at.root, "was/new"));
  expect(await at.outcomes(steps.slice(0, 1))).toEqual(["restored"]);
  expect(readdirSync(path.join(at.root, "was"))).toEqual(["new"]);
});

test("a file that cannot be restored does not prevent the others", async () => {
  const at = restoring();
  at.put("a.txt", "by hand");
  at.put("b.txt", "after");
  mkdirSync(path.join(at.root, "c.txt"));
  at.put("d.txt", "after");
  at.keep("before");
  const steps = ["a.txt", "b.txt", "c.txt"].map((name) => at.step(name, "after", "before"));
  const outcomes = await at.outcomes([...steps, at.step("d.txt", "after", "never kept")]);
  expect(outcomes).toEqual(["changed", "restored", "changed", "not_kept"]);
  expect([at.read("a.txt"), at.read("b.txt"), at.read("d.txt")]).toEqual(["by hand", "before", "after"]);
});

test("a kept content that was truncated by a power failure is not restored", async () => {
  const at = restoring();
  at.put("f.txt", "after");
  truncateSync(path.join(at.snapshots, at.keep("before")), 3);
  expect(await at.outcomes([at.step("f.txt", "after", "before")])).toEqual(["not_kept"]);
  expect(at.read("f.txt")).toBe("after");
  // When the content occurs again, it is kept whole again.
  at.keep("before");
  expect(await at.outcomes([at.step("f.txt", "after", "before")])).toEqual(["restored"]);
});

test.each(["AGENTS.md", "sub/.claude/settings.json", "link"])(
  "%s, which instructs agents, is restored only for people who may decide on it",
  async (name) => {
    const at = restoring();
    if (name === "link") {
      at.put("CLAUDE.md", "after");
      symlinkSync("CLAUDE.md", path.join(at.root, name));
    } else at.put(name, "after");
    at.keep("before");
    expect(await at.outcomes([at.step(name, "after", "before")])).toEqual(["instructs"]);
    expect(at.read(name)).toBe("after");
    expect(await at.outcomes([at.step(name, "after", "before")], true)).toEqual(["restored"]);
    expect(at.read(name)).toBe("before");
  },
);

test("undo cannot reach outside the root or into .git", async () => {
  const at = restoring();
  const outside = path.join(path.dirname(at.root), "outside");
  mkdirSync(outside);
  writeFileSync(path.join(outside, "f.txt"), "after");
  symlinkSync(outside, path.join(at.root, "out"));
  at.put(".git/config", "after");
  at.keep("before");
  const steps = ["out/f.txt", "../outside/f.txt", ".git/config"].map((name) => at.step(name, "after", "before"));
  expect(await at.outcomes(steps)).toEqual(["failed", "failed", "failed"]);
  expect(readFileSync(path.join(outside, "f.txt"), "utf8")).toBe("after");
  expect(at.read(".git/config")).toBe("after");
});

test("a restored file keeps its mode, and no temporary file remains", async () => {
  const at = restoring();
  at.put("run.sh", "after");
  const mode = statSync(path.join(at.root, "run.sh")).mode;
  at.keep("before");
  await at.outcomes([at.step("run.sh", "after", "before")]);
  expect(statSync(path.join(at.root, "run.sh")).mode).toBe(mode);
  expect(readdirSync(at.root)).toEqual(["run.sh"]);
});
