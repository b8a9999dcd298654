import { expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { heldBy, MB, useQuotas } from "../../tools/quotas/quota-session.ts";
import { asProgram, extensionSession, useExtensionSandbox } from "./extension-session.ts";

const { quotas } = useQuotas();
const place = useExtensionSandbox({ quotas });

/** Makes a directory, then ten files of 200 kB each, `a.bin` to `j.bin`; any error is a trap. */
const FILLS = `(module
  (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
  (memory (export "memory") 40)
  (data (i32.const 100) "a.bin") (data (i32.const 0) "\\00\\00\\01\\00\\40\\0d\\03\\00")
  (func $check (param $error i32) (if (local.get $error) (then unreachable)))
  (func (export "_start") (local $left i32)
    (local.set $left (i32.const 10))
    (loop $more
      (call $check (call $open (i32.const 3) (i32.const 0) (i32.const 100) (i32.const 5) (i32.const 1)
        (i64.const 66) (i64.const 0) (i32.const 0) (i32.const 16)))
      (call $check (call $write (i32.load (i32.const 16)) (i32.const 0) (i32.const 1) (i32.const 20)))
      (call $check (call $close (i32.load (i32.const 16))))
      (i32.store8 (i32.const 100) (i32.add (i32.load8_u (i32.const 100)) (i32.const 1)))
      (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))))`;

test("a component cannot exceed the storage quota, and the model is told the limit", async () => {
  const session = extensionSession(place);
  session.add("fills", { permission: "write", arguments: [] }, await asProgram(FILLS));
  const said = textOf((await session.run("fills", {})).content);
  expect(said).toMatch(/The files here take up [\d.]+ kB of 1 MB;/u);
  expect(await heldBy(session.root)).toBeLessThanOrEqual(MB);
});
