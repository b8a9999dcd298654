import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { asProgram, extensionSession, fixture, useExtensionSandbox } from "./extension-session.ts";

const place = useExtensionSandbox();

test("the compiled component in the fixtures matches the source beside it", async () => {
  const source = readFileSync(new URL("./fixtures/count.wat", import.meta.url), "utf8");
  expect(Buffer.from(await asProgram(source)).equals(fixture("count.wasm"))).toBe(true);
});

test("a program compiled elsewhere can read a file of the session's directory", async () => {
  const session = extensionSession(place);
  session.add("count");
  session.put("sub/a.txt", "one\ntwo\nthree");
  const result = await session.run("count", { file: "sub/a.txt" });
  expect(result).toEqual({ content: [{ type: "text", text: "2 13" }], isError: false, summary: "1 line" });
});

test("an input property can be passed as the program's standard input", async () => {
  const session = extensionSession(place);
  const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  session.add("count", { input, stdin: "text", arguments: [], permission: "none" });
  expect(textOf((await session.run("count", { text: "a\nb\n" })).content)).toBe("2 4");
});

test("a failing program's result has its exit code and output", async () => {
  const session = extensionSession(place);
  session.add("count");
  const result = await session.run("count", { file: "absent.txt" });
  expect(textOf(result.content)).toBe("cannot read the file\nExit code 1.");
  expect(result).toMatchObject({ isError: true, summary: "exit code 1" });
});

const outside = [
  "../secret.txt",
  "/etc/passwd",
  "link/secret.txt",
  "secret-link",
  ".git/config",
  "pipe/../../secret.txt",
];

test.each(outside)("a program cannot reach %s", async (file) => {
  const session = extensionSession(place);
  const base = path.dirname(session.root);
  writeFileSync(path.join(base, "secret.txt"), "secret");
  session.put(".git/config", "secret");
  symlinkSync(base, path.join(session.root, "link"));
  symlinkSync(path.join(base, "secret.txt"), path.join(session.root, "secret-link"));
  session.add("count");
  expect((await session.run("count", { file })).isError).toBe(true);
});

test("a program without the read permission sees no files", async () => {
  const session = extensionSession(place);
  session.put("a.txt", "a");
  session.add("count", { permission: "none" });
  expect((await session.run("count", { file: "a.txt" })).isError).toBe(true);
});

/** Writes `hello` to the file out.txt, made if need be; exits with the error's number when it cannot. */
const WRITER = `(module
  (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 100) "out.txt") (data (i32.const 200) "hello") (data (i32.const 0) "\\c8\\00\\00\\00\\05\\00\\00\\00")
  (func (export "_start") (local $error i32)
    (local.set $error (call $open (i32.const 3) (i32.const 0) (i32.const 100) (i32.const 7) (i32.const 9)
      (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 16)))
    (if (local.get $error) (then (call $exit (i32.const 1))))
    (if (call $write (i32.load (i32.const 16)) (i32.const 0) (i32.const 1) (i32.const 8)) (then (call $exit (i32.const 1))))))`;

test.each([
  { permission: "write", readOnly: false, writes: true },
  { permission: "execute", readOnly: false, writes: true },
  { permission: "write", readOnly: true, writes: false },
  { permission: "read", readOnly: false, writes: false },
])(
  "the file writes of a program with permission $permission, read-only $readOnly: $writes",
  async ({ permission, readOnly, writes }) => {
    const session = extensionSession(place);
    session.add("writer", { permission, arguments: [] }, await asProgram(WRITER));
    const result = await session.run("writer", {}, { readOnly });
    expect(result.isError).toBe(!writes);
    expect(readdirSync(session.root)).toEqual(writes ? ["out.txt"] : []);
    if (writes) expect(readFileSync(path.join(session.root, "out.txt"), "utf8")).toBe("hello");
  },
);

test("a program cannot write a file with instructions for agents", async () => {
  const session = extensionSession(place);
  const source = WRITER.replace("out.txt", "AGENTS.md").replace(
    "(i32.const 7) (i32.const 9)",
    "(i32.const 9) (i32.const 9)",
  );
  session.add("writer", { permission: "write", arguments: [] }, await asProgram(source));
  expect((await session.run("writer", {})).isError).toBe(true);
  expect(readdirSync(session.root)).toEqual([]);
});

const runaways = [
  {
    name: "never ends",
    source: '(module (memory (export "memory") 1) (func (export "_start") (loop $l (br $l))))',
    limits: { timeoutMs: 2_000 },
    says: "Stopped after 2 s",
  },
  {
    name: "traps",
    source: '(module (memory (export "memory") 1) (func (export "_start") unreachable))',
    limits: {},
    says: "unreachable",
  },
  {
    name: "floods its output",
    source: `(module (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
      (memory (export "memory") 1) (data (i32.const 4) "\\00\\10")
      (func (export "_start") (loop $l (br_if $l (i32.eqz (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))))`,
    limits: { outputBytes: 20_000 },
    says: "The program wrote more than its output limit.",
  },
  {
    name: "takes all the memory",
    source: `(module (memory (export "memory") 1)
      (func (export "_start") (loop $l (br_if $l (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable))`,
    limits: { memoryMb: 16 },
    says: "unreachable",
  },
];

test.each(runaways)("a program that $name is stopped, and the next call works", async ({ source, limits, says }) => {
  const session = extensionSession(place);
  session.add("runaway", { arguments: [], limits }, await asProgram(source));
  session.add("count");
  session.put("a.txt", "a\n");
  const result = await session.run("runaway", {});
  expect(result.isError).toBe(true);
  expect(textOf(result.content)).toContain(says);
  expect(textOf((await session.run("count", { file: "a.txt" })).content)).toBe("1 2");
});

const STDERR = "(i32.const 2) (i32.const 0) (i32.const 1) (i32.const 40)";

test.each([
  { end: "unreachable", limits: {}, says: "unreachable" },
  { end: "(loop $l (br $l))", limits: { timeoutMs: 2_000 }, says: "Stopped after 2 s" },
])("output written before `$end` ended the program is kept", async ({ end, limits, says }) => {
  const session = extensionSession(place);
  const source = `(module
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1) (data (i32.const 0) "\\64\\00\\00\\00\\17\\00\\00\\00")
    (data (i32.const 100) "panicked at main.rs:7: ")
    (func (export "_start") (drop (call $write ${STDERR})) ${end}))`;
  session.add("panics", { arguments: [], limits }, await asProgram(source));
  const result = await session.run("panics", {});
  expect(result.isError).toBe(true);
  expect(textOf(result.content)).toContain(says);
  expect(textOf(result.content)).toContain("panicked at main.rs:7:");
});

test("a cancelled program is terminated", async () => {
  const session = extensionSession(place);
  session.add(
    "endless",
    { arguments: [] },
    await asProgram('(module (memory (export "memory") 1) (func (export "_start") (loop $l (br $l))))'),
  );
  const stop = new AbortController();
  const running = session.run("endless", {}, { queued: () => {} }, stop.signal);
  stop.abort(new Error("stopped"));
  await expect(running).rejects.toThrow("stopped");
});

test("a program sees neither environment variables nor directories above its own", async () => {
  const session = extensionSession(place);
  mkdirSync(path.join(session.root, "sub"));
  const source = `(module
    (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_prestat_get" (func $prestat (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 1)
    (func (export "_start")
      (if (call $environ (i32.const 0) (i32.const 4)) (then (call $exit (i32.const 1))))
      (if (i32.load (i32.const 0)) (then (call $exit (i32.const 1))))
      (if (call $prestat (i32.const 3) (i32.const 8)) (then (call $exit (i32.const 1))))
      (if (i32.eqz (call $prestat (i32.const 4) (i32.const 8))) (then (call $exit (i32.const 1))))))`;
  session.add("curious", { arguments: [] }, await asProgram(source));
  expect(await session.run("curious", {})).toMatchObject({ isError: false });
});
