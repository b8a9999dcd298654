import { readdirSync, readFileSync, truncateSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { asProgram, type ExtensionSession, extensionSession, useExtensionSandbox } from "./extension-session.ts";

const place = useExtensionSandbox();

/** EFBIG of WASI preview 1. */
const FILE_TOO_LARGE = 22;

/**
 * A program over the file out.bin, which it makes if need be and has open as `$file`; `$buffer` names what is read or
 * written at once: 1 MB. A file that is too large ends the program with code 1, any other error is a trap.
 */
const program = (deed: string): string => `(module
  (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_unlink_file" (func $unlink (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_rename" (func $rename (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_filestat_get" (func $stat (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_pread" (func $read (param i32 i32 i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 40)
  (data (i32.const 100) "out.bin") (data (i32.const 120) "new.bin")
  (data (i32.const 0) "\\00\\00\\01\\00\\00\\00\\10\\00") (data (i32.const 65536) "hello")
  (data (i32.const 8) "\\00\\00\\01\\00\\05\\00\\00\\00")
  (func $check (param $error i32) 
    (if (i32.eq (local.get $error) (i32.const ${FILE_TOO_LARGE})) (then (call $exit (i32.const 1))))
    (if (local.get $error) (then unreachable)))
  (func $named (result i32) (call $open (i32.const 3) (i32.const 0) (i32.const 100) (i32.const 7) (i32.const 1)
    (i64.const 66) (i64.const 0) (i32.const 0) (i32.const 16)))
  (func (export "_start") (local $file i32) (local $left i32)
    (call $check (call $named)) (local.set $file (i32.load (i32.const 16)))
    ${deed}))`;

async function holding(deed: string): Promise<ExtensionSession> {
  const session = extensionSession(place);
  session.add("holds", { permission: "write", arguments: [] }, await asProgram(program(deed)));
  return session;
}

test("opening a file that is too large to read gives the program an error", async () => {
  const session = await holding(
    "(call $check (call $read (local.get $file) (i32.const 0) (i32.const 1) (i64.const 0) (i32.const 20)))",
  );
  session.put("out.bin", "");
  truncateSync(path.join(session.root, "out.bin"), 36_000_000);
  expect(textOf((await session.run("holds", {})).content)).toBe("Exit code 1.");
});

test("writing a file beyond the size limit gives the program an error", async () => {
  const session = await holding(
    `(local.set $left (i32.const 40))
     (loop $more
       (call $check (call $write (local.get $file) (i32.const 0) (i32.const 1) (i32.const 20)))
       (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))`,
  );
  expect(textOf((await session.run("holds", {})).content)).toBe("Exit code 1.");
});

const HELLO = "(call $check (call $write (local.get $file) (i32.const 8) (i32.const 1) (i32.const 20)))";
const UNLINK = "(call $check (call $unlink (i32.const 3) (i32.const 100) (i32.const 7)))";

test("a file that is unlinked while open stays usable, and unlinked", async () => {
  const session = await holding(
    `${UNLINK} ${HELLO} (call $check (call $stat (local.get $file) (i32.const 200)))
     (if (i64.ne (i64.load (i32.const 232)) (i64.const 5)) (then unreachable))
     (call $check (call $close (local.get $file)))`,
  );
  expect(await session.run("holds", {})).toMatchObject({ isError: false });
  expect(readdirSync(session.root)).toEqual([]);
});

test("a file that is renamed while open is written under its new name only", async () => {
  const session = await holding(
    `${HELLO} (call $check (call $rename (i32.const 3) (i32.const 100) (i32.const 7)
       (i32.const 3) (i32.const 120) (i32.const 7))) ${HELLO}`,
  );
  expect(await session.run("holds", {})).toMatchObject({ isError: false });
  expect(readdirSync(session.root)).toEqual(["new.bin"]);
  expect(readFileSync(path.join(session.root, "new.bin"), "utf8")).toBe("hellohello");
});
