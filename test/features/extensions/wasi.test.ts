import { mkdirSync, readdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Descriptor, type FileAccess } from "../../../src/tools/wasm/wasi/descriptor.ts";
import { InputStream, OutputStream, Pollable, poll } from "../../../src/tools/wasm/wasi/streams.ts";
import { WasiFailure } from "../../../src/tools/wasm/wasi/wasi-failure.ts";
import { createWorkspace } from "../../../src/tools/wasm/workspace/workspace.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const FOLLOW = { symlinkFollow: true };
const STAY = { symlinkFollow: false };
const NO_FLAGS = { create: undefined, directory: undefined, exclusive: undefined, truncate: undefined };
const READ = { read: true, write: false, mutateDirectory: false };
const WRITE = { read: true, write: true, mutateDirectory: false };

interface Opened {
  readonly root: string;
  readonly directory: Descriptor;
  readonly access: FileAccess;
}

/** The descriptor that a program is given, over a directory with a file, a folder and links. */
function opened(writable = true): Opened {
  const root = path.join(tempDirectory(), "root");
  mkdirSync(path.join(root, "sub"), { recursive: true });
  writeFileSync(path.join(root, "a.txt"), "hello");
  writeFileSync(path.join(root, "sub/b.txt"), "b");
  writeFileSync(path.join(root, "../secret.txt"), "secret");
  symlinkSync("a.txt", path.join(root, "inner"));
  symlinkSync("../secret.txt", path.join(root, "outer"));
  symlinkSync("..", path.join(root, "up"));
  const workspace = createWorkspace();
  workspace.bind({ root, writable });
  onTestFinished(() => workspace.close());
  const { filesystem } = workspace;
  const access: FileAccess = { filesystem, held: { left: 1_000 }, writable, open: new Set(), unsaved: [] };
  const flags = { read: true, write: false, mutateDirectory: writable };
  return { root, access, directory: new Descriptor(access, { path: "", file: null, flags }) };
}

/** The WASI error code that work fails with; `null` when it does not. */
function codeOf(work: () => unknown): unknown {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof WasiFailure) return error.payload;
    throw error;
  }
}

test("a file can be read at any offset, and by stream", () => {
  const { directory } = opened();
  const file = directory.openAt(FOLLOW, "a.txt", NO_FLAGS, READ);
  expect(file.read(3n, 1n)).toEqual([Uint8Array.from(Buffer.from("ell")), false]);
  expect(file.read(100n, 3n)).toEqual([Uint8Array.from(Buffer.from("lo")), true]);
  expect(file.read(1n, 100n)).toEqual([new Uint8Array(), true]);
  const stream = file.readViaStream(2n);
  expect(Buffer.from(stream.read(100n)).toString()).toBe("llo");
  expect(codeOf(() => stream.read(100n))).toEqual({ tag: "closed" });
  expect(file.stat()).toMatchObject({ type: "regular-file", size: 5n });
});

test("a file can be written at any offset, grown and truncated, and is saved when it is closed", () => {
  const { directory, root } = opened();
  const file = directory.openAt(FOLLOW, "new.txt", { ...NO_FLAGS, create: true }, WRITE);
  expect(file.write(Buffer.from("abc"), 2n)).toBe(3n);
  file.appendViaStream().write(Buffer.from("def"));
  file.setSize(7n);
  file.setSize(9n);
  expect(readFileSync(path.join(root, "new.txt"), "latin1")).toBe("");
  file[Symbol.dispose]();
  expect(readFileSync(path.join(root, "new.txt"), "latin1")).toBe("\0\0abcde\0\0");
});

const opens = [
  { name: "a missing file", at: "absent", how: {}, flags: READ, code: "no-entry" },
  { name: "a file that must be new", at: "a.txt", how: { create: true, exclusive: true }, flags: WRITE, code: "exist" },
  { name: "a file as a directory", at: "a.txt", how: { directory: true }, flags: READ, code: "not-directory" },
  { name: "a directory for writing", at: "sub", how: {}, flags: WRITE, code: "is-directory" },
  { name: "a link that is not to be followed", at: "inner", how: {}, flags: READ, follow: STAY, code: "loop" },
  { name: "a link within", at: "inner", how: {}, flags: READ, code: null },
  { name: "a link to outside", at: "outer", how: {}, flags: READ, code: "not-permitted" },
  { name: "a path through a link to outside", at: "up/secret.txt", how: {}, flags: READ, code: "not-permitted" },
  { name: "a path that climbs", at: "sub/../../secret.txt", how: {}, flags: READ, code: "not-permitted" },
  { name: "an absolute path", at: "/etc/passwd", how: {}, flags: READ, code: "not-permitted" },
  { name: "a NUL", at: "a.txt\0", how: {}, flags: READ, code: "not-permitted" },
  { name: ".git", at: ".git/config", how: { create: true }, flags: WRITE, code: "not-permitted" },
  { name: "what instructs agents", at: "AGENTS.md", how: { create: true }, flags: WRITE, code: "not-permitted" },
];

test.each(opens)("opening $name gives $code", ({ at, how, flags, follow = FOLLOW, code }) => {
  const { directory } = opened();
  expect(codeOf(() => directory.openAt(follow, at, { ...NO_FLAGS, ...how }, flags))).toBe(code);
});

test("directories can be listed, created, removed and renamed", () => {
  const { directory, root } = opened();
  directory.createDirectoryAt("made");
  directory.renameAt("sub/b.txt", directory, "made/c.txt");
  directory.removeDirectoryAt("sub");
  expect(codeOf(() => directory.removeDirectoryAt("made"))).toBe("not-empty");
  expect(codeOf(() => directory.removeDirectoryAt("a.txt"))).toBe("not-directory");
  expect(codeOf(() => directory.unlinkFileAt("made"))).toBe("is-directory");
  directory.unlinkFileAt("a.txt");
  const entries = directory.readDirectory();
  const seen = [];
  for (let entry = entries.readDirectoryEntry(); entry !== undefined; entry = entries.readDirectoryEntry())
    seen.push(entry);
  expect(seen).toEqual([
    { type: "symbolic-link", name: "inner" },
    { type: "directory", name: "made" },
    { type: "symbolic-link", name: "outer" },
    { type: "symbolic-link", name: "up" },
  ]);
  expect(readdirSync(path.join(root, "made"))).toEqual(["c.txt"]);
});

const changes: readonly [string, (directory: Descriptor) => unknown][] = [
  ["opening to write", (directory) => directory.openAt(FOLLOW, "a.txt", NO_FLAGS, WRITE)],
  ["truncating", (directory) => directory.openAt(FOLLOW, "a.txt", { ...NO_FLAGS, truncate: true }, READ)],
  ["creating", (directory) => directory.openAt(FOLLOW, "new", { ...NO_FLAGS, create: true }, READ)],
  ["making a directory", (directory) => directory.createDirectoryAt("new")],
  ["removing a file", (directory) => directory.unlinkFileAt("a.txt")],
  ["removing a directory", (directory) => directory.removeDirectoryAt("sub")],
  ["renaming", (directory) => directory.renameAt("a.txt", directory, "b.txt")],
];

test.each(changes)("without write access %s is refused", (_, change) => {
  const { directory, root } = opened(false);
  expect(codeOf(() => change(directory))).toBe("read-only");
  expect(readdirSync(root).sort()).toEqual(["a.txt", "inner", "outer", "sub", "up"]);
  expect(readFileSync(path.join(root, "a.txt"), "utf8")).toBe("hello");
});

test("links can be neither created nor read", () => {
  const { directory } = opened();
  for (const work of [() => directory.linkAt(), () => directory.symlinkAt(), () => directory.readlinkAt()]) {
    expect(codeOf(work)).toBe("not-permitted");
  }
});

test("reads and writes need a descriptor opened for them, and a file's size is limited", () => {
  const { directory } = opened();
  const blind = directory.openAt(FOLLOW, "a.txt", NO_FLAGS, { ...WRITE, read: false });
  expect(codeOf(() => blind.read(1n, 0n))).toBe("bad-descriptor");
  expect(codeOf(() => directory.openAt(FOLLOW, "a.txt", NO_FLAGS, READ).write(new Uint8Array(1), 0n))).toBe(
    "bad-descriptor",
  );
  expect(codeOf(() => blind.write(new Uint8Array(1), 2n ** 40n))).toBe("file-too-large");
  expect(codeOf(() => blind.setSize(2n ** 40n))).toBe("file-too-large");
  expect(codeOf(() => directory.read(1n, 0n))).toBe("is-directory");
});

test("open files share one memory limit, and closing a file frees its part", () => {
  const { directory, access } = opened();
  const first = directory.openAt(FOLLOW, "a.txt", NO_FLAGS, WRITE);
  first.setSize(900n);
  const second = directory.openAt(FOLLOW, "sub/b.txt", NO_FLAGS, WRITE);
  expect(codeOf(() => second.setSize(900n))).toBe("insufficient-memory");
  first[Symbol.dispose]();
  expect(codeOf(() => second.setSize(900n))).toBeNull();
  second[Symbol.dispose]();
  expect(access.held.left).toBe(1_000);
});

test("open files move with their directory when that is renamed", () => {
  const { directory, access, root } = opened();
  directory.createDirectoryAt("sub/deep");
  const written = directory.openAt(FOLLOW, "sub/deep/new.txt", { ...NO_FLAGS, create: true }, WRITE);
  const unread = directory.openAt(FOLLOW, "./sub//b.txt", NO_FLAGS, READ);
  written.write(Buffer.from("mine"), 0n);
  directory.renameAt("sub/", directory, "moved");
  written.write(Buffer.from("!"), 4n);
  expect(Buffer.from(unread.read(10n, 0n)[0]).toString()).toBe("b");
  for (const file of [written, unread]) file[Symbol.dispose]();
  expect(access.unsaved).toEqual([]);
  expect(readFileSync(path.join(root, "moved/deep/new.txt"), "utf8")).toBe("mine!");
});

test("an open file that was replaced by a link to outside is not saved, and this is reported", () => {
  const { directory, access, root } = opened();
  const file = directory.openAt(FOLLOW, "sub/b.txt", NO_FLAGS, WRITE);
  file.write(Buffer.from("mine"), 0n);
  file.sync();
  symlinkSync("../../secret.txt", path.join(root, "sub/link"));
  const through = directory.openAt(STAY, "sub/b.txt", NO_FLAGS, WRITE);
  through.write(Buffer.from("stolen"), 0n);
  // Somebody outside of the sandbox does: what a program unlinks itself is saved nowhere.
  unlinkSync(path.join(root, "sub/b.txt"));
  symlinkSync("../../secret.txt", path.join(root, "sub/b.txt"));
  through[Symbol.dispose]();
  expect(access.unsaved).toEqual(["sub/b.txt could not be written: not-permitted"]);
  expect(readFileSync(path.join(root, "../secret.txt"), "utf8")).toBe("secret");
});

test("streams skip, splice and close; timers are awaited", () => {
  const parts = [Uint8Array.of(1, 2, 3), Uint8Array.of(4)];
  const source = new InputStream(() => parts.shift() ?? null);
  const written: number[] = [];
  const sink = new OutputStream((bytes) => written.push(...bytes) < 4);
  expect(source.skip(3n)).toBe(3n);
  expect(sink.splice(source, 10n)).toBe(1n);
  sink.writeZeroes(2n);
  expect(written).toEqual([4, 0, 0]);
  expect(codeOf(() => sink.write(Uint8Array.of(9)))).toEqual({ tag: "closed" });
  expect(codeOf(() => source.blockingRead(1n))).toEqual({ tag: "closed" });
  const began = performance.now();
  expect(poll([new Pollable(() => began + 20), new Pollable(() => began + 60_000)])).toEqual(Uint32Array.of(0));
  expect(performance.now() - began).toBeGreaterThanOrEqual(20);
});
