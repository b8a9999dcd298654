import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openByPath, openThroughDescriptor } from "../../../src/tools/wasm/workspace/directory.ts";
import { createWorkspace } from "../../../src/tools/wasm/workspace/workspace.ts";
import { type FileSession, fileSession, text, useSandbox } from "../file-session.ts";
import { flipping, trying } from "./flipping.ts";

const sandbox = useSandbox();
const SECRET = "top secret";
const EVERYTHING = { needles: [], foldCase: false, shapes: [] };

/** A root with a secret beside it, and links that lead there. */
function besideSecret(): FileSession {
  const session = fileSession(sandbox);
  const outside = path.join(path.dirname(session.root), "outside");
  mkdirSync(outside);
  writeFileSync(path.join(outside, "secret.txt"), SECRET);
  session.put("inside.txt", "fine");
  const link = (target: string, name: string): void => symlinkSync(target, path.join(session.root, name));
  link("../outside", "relative");
  link(outside, "absolute");
  link("../outside/secret.txt", "file");
  link("../outside/absent.txt", "dangling");
  link("round", "round");
  link("/proc/self", "proc");
  return session;
}

const outsidePaths = [
  "../outside/secret.txt",
  "a/../../outside/secret.txt",
  "<root>/../outside/secret.txt",
  "<root>-beside/x",
  "/etc/passwd",
  "//etc/passwd",
  "/proc/self/environ",
  "relative/secret.txt",
  "absolute/secret.txt",
  "file",
  "dangling",
  "round",
  "proc/environ",
  "proc/fd/0",
  "inside.txt\0.png",
  "inside.txt/x",
  "\ud800",
  `${"d/".repeat(3_000)}x`,
  "n".repeat(300),
];

describe.each([
  ["read", (file: string) => ({ path: file })],
  ["write", (file: string) => ({ path: file, content: "mine" })],
  ["edit", (file: string) => ({ path: file, old_string: SECRET, new_string: "mine" })],
  ["grep", (file: string) => ({ pattern: ".", path: file, output_mode: "content" })],
  ["glob", (file: string) => ({ pattern: "**", path: file })],
] as const)("%s", (tool, inputFor) => {
  test.each(outsidePaths)("cannot access %j", async (file) => {
    const session = besideSecret();
    const result = await session.run(tool, inputFor(file.replace("<root>", session.root)));
    const outside = path.join(session.root, "../outside");
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toMatch(/top secret|root:x:/);
    expect(readdirSync(outside)).toEqual(["secret.txt"]);
    expect(readFileSync(path.join(outside, "secret.txt"), "utf8")).toBe(SECRET);
  });
});

const GIT_NAMES = [
  ".git",
  ".GIT",
  ".Git",
  "sub/.git",
  ".git ",
  ".git.",
  ".git::$INDEX_ALLOCATION",
  "git~1",
  ".g\u200cit",
];

test.each(GIT_NAMES)("no tool can read, write or create %j", async (name) => {
  const session = fileSession(sandbox);
  for (const file of [name, `${name}/config`]) {
    const written = await session.run("write", { path: file, content: "[core]" });
    expect(text(written)).toContain("Tools cannot read, write or create `.git`");
    expect(text(await session.run("read", { path: file }))).toContain("Tools cannot read, write or create `.git`");
  }
  expect(readdirSync(session.root)).toEqual([]);
});

test("a link into .git is not followed", async () => {
  const session = fileSession(sandbox);
  session.put(".git/hooks/pre-commit", "#!/bin/sh");
  symlinkSync(".git", path.join(session.root, "innocent"));
  symlinkSync(".git/hooks/pre-commit", path.join(session.root, "hook"));
  for (const file of ["innocent/config", "innocent/hooks/pre-commit", "hook"]) {
    const written = await session.run("write", { path: file, content: "mine" });
    expect(text(written)).toContain("Tools cannot read, write or create `.git`");
    expect(text(await session.run("read", { path: file }))).toContain("Tools cannot read, write or create `.git`");
  }
  expect(readdirSync(path.join(session.root, ".git"))).toEqual(["hooks"]);
  expect(session.bytes(".git/hooks/pre-commit").toString()).toBe("#!/bin/sh");
});

test("pipes, sockets and devices are refused at once", async () => {
  const session = fileSession(sandbox);
  const at = (name: string): string => path.join(session.root, name);
  execFileSync("mkfifo", [at("pipe")]);
  symlinkSync("/dev/zero", at("zero"));
  const server = createServer().listen(at("socket"));
  await once(server, "listening");
  for (const file of ["pipe", "zero", "socket"]) {
    expect(await session.run("read", { path: file })).toMatchObject({ isError: true });
    expect(await session.run("write", { path: file, content: "x" })).toMatchObject({ isError: true });
    expect(await session.run("grep", { pattern: "x", path: file })).toMatchObject({ isError: true });
  }
  expect(text(await session.run("read", { path: "pipe" }))).toContain("neither a regular file nor a directory");
  server.close();
});

test("a session without write access cannot change anything", async () => {
  const session = fileSession(sandbox, { context: { readOnly: true } });
  session.put("f.txt", "a");
  await session.run("read", { path: "f.txt" });
  const before = statSync(path.join(session.root, "f.txt"));
  for (const [tool, input] of [
    ["write", { path: "f.txt", content: "" }],
    ["write", { path: "dir/new.txt", content: "" }],
    ["edit", { path: "f.txt", old_string: "a", new_string: "b" }],
  ] as const) {
    expect(text(await session.run(tool, input))).toBe("Writing is not permitted here.");
  }
  expect(readdirSync(session.root)).toEqual(["f.txt"]);
  expect(statSync(path.join(session.root, "f.txt"))).toMatchObject({
    ino: before.ino,
    mtimeMs: before.mtimeMs,
    size: 1,
  });
});

test("the host refuses writes of a guest without write access by itself", async () => {
  const { root, context } = fileSession(sandbox);
  const grant = { root, writable: false, clock: true, timeoutMs: 5_000, memoryMb: 64, outputBytes: 10_000 };
  const caller = { ...context, signal: new AbortController().signal, queued: () => {} };
  const commit = JSON.stringify({ op: "commit_write", path: "a/b", content: "x", before: null });
  const output = await sandbox.call("files", commit, grant, caller);
  expect(JSON.parse(output)).toEqual({ refused: "Writing is not permitted here." });
  expect(readdirSync(root)).toEqual([]);
});

test("swapping directories for links to outside during a call exposes nothing", async () => {
  const session = fileSession(sandbox);
  const { outside, stop } = await flipping(session, SECRET);
  const inside = createHash("sha256").update("inside").digest("hex");
  const seen = new Set<string>();
  const refused = "refused: The path is outside the sandbox; use a path relative to its root.";
  const workspace = createWorkspace();
  workspace.bind({ root: session.root, writable: true });
  const goesOn = trying();
  while (goesOn(["inside", "written", refused].every((each) => seen.has(each)))) {
    for (const work of [
      () => workspace.functions.readWhole("flip/f.txt").text,
      () => workspace.functions.readMatching("flip/f.txt", 0, EVERYTHING).texts.join(""),
      () => workspace.functions.replaceFile("flip/f.txt", "inside", inside) ?? "written",
    ]) {
      seen.add(attempt(work));
      workspace.close();
      workspace.bind({ root: session.root, writable: true });
    }
  }
  stop();
  expect(seen).toContain("inside");
  expect(seen).toContain("written");
  expect(seen).toContain(refused);
  expect([...seen].filter((text) => text.includes(SECRET))).toEqual([]);
  expect(readdirSync(outside)).toEqual(["f.txt"]);
});

function attempt(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return error instanceof Error && "payload" in error ? `refused: ${String(error.payload)}` : String(error);
  }
}

test.each([
  ["through descriptors", openThroughDescriptor],
  ["by path", openByPath],
])("directories are opened with verification %s", (_, open) => {
  const session = besideSecret();
  session.put("sub/f.txt", "in the directory");
  symlinkSync("sub", path.join(session.root, "alias"));
  const workspace = createWorkspace(open);
  workspace.bind({ root: session.root, writable: true });
  const { functions } = workspace;
  expect(functions.readWhole("alias/f.txt").text).toBe("in the directory");
  renameSync(path.join(session.root, "sub"), path.join(session.root, "elsewhere"));
  session.put("sub/f.txt", "in another of the name");
  expect(functions.readWhole("alias/f.txt").text).toBe("in another of the name");
  functions.replaceFile("new/deep/f.txt", "made", undefined);
  expect(session.bytes("new/deep/f.txt").toString()).toBe("made");
  for (const file of ["relative/secret.txt", "absolute/secret.txt", "file", "proc/environ"]) {
    expect(() => functions.readWhole(file)).toThrow(/outside the sandbox/);
    expect(() => functions.replaceFile(file, "mine", "0".repeat(64))).toThrow(/outside the sandbox/);
  }
  workspace.close();
});
