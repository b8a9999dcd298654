import { readdirSync } from "node:fs";
import path from "node:path";
import { parse } from "@bytecodealliance/jco";
import { expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { PROGRAM_LIMITS } from "../../../src/tools/wasm/capability.ts";
import { type ExtensionSession, extensionSession, useExtensionSandbox } from "./extension-session.ts";

const place = useExtensionSandbox({ ownBindings: true });

/** A `wasi:cli/run` component in WAT: what comes before, then the module `$main`, which exports `run`. */
const program = (before: string, main: string, instantiation: string): string => `(component
  ${before}
  (core module $main ${main})
  (core instance $i (instantiate $main ${instantiation}))
  (func $run (result (result)) (canon lift (core func $i "run")))
  (instance $runs (export "run" (func $run)))
  (export "wasi:cli/run@0.2.0" (instance $runs)))`;

const SUCCEED = '(func (export "run") (result i32) (i32.const 0))';

/** Instantiates as it should at its first time in a worker; every other time by the random number, `deed` happens. */
const atRandom = (deed: string): string =>
  program(
    `(import "wasi:random/random@0.2.0" (instance $r (export "get-random-u64" (func (result u64)))))
     (core func $random (canon lower (func $r "get-random-u64")))`,
    `(import "r" "random" (func $random (result i64)))
     (func $s (if (i64.eqz (i64.and (call $random) (i64.const 1))) (then ${deed})))
     (start $s) ${SUCCEED}`,
    '(with "r" (instance (export "random" (func $random))))',
  );

const MEMORIES = 8;
const each = (text: (index: number) => string): string =>
  Array.from({ length: MEMORIES }, (_, n) => text(n)).join("\n");

/** Eight memories, each of which asks for 40 MB; fails when more than one gets them. */
const greedy = program(
  each(
    (n) => `(core module $m${n} (memory 1) (func (export "grow") (result i32) (memory.grow (i32.const 640))))
      (core instance $i${n} (instantiate $m${n}))
      (alias core export $i${n} "grow" (core func $g${n}))`,
  ),
  `${each((n) => `(import "g" "${n}" (func $g${n} (result i32)))`)}
   (func (export "run") (result i32) (local $got i32)
     ${each((n) => `(local.set $got (i32.add (local.get $got) (i32.ge_s (call $g${n}) (i32.const 0))))`)}
     (i32.gt_u (local.get $got) (i32.const 1)))`,
  `(with "g" (instance ${each((n) => `(export "${n}" (func $g${n}))`)}))`,
);

/** Becomes code where bindings put a core module's names in quotes. */
const QUOTE = "x'];globalThis.escaped=process;//";

const named = (name: string): string =>
  program(
    `(core module $a (func (export "${name}") (result i32) (i32.const 0)))
     (core instance $ia (instantiate $a))
     (alias core export $ia "${name}" (core func $f))`,
    `(import "a" "${name}" (func (result i32))) ${SUCCEED}`,
    `(with "a" (instance (export "${name}" (func $f))))`,
  );

async function withComponent(wat: string, limits: object = {}): Promise<ExtensionSession> {
  const session = extensionSession(place);
  const manifest = { permission: "none", arguments: [], input: { type: "object" }, limits };
  session.add("hostile", manifest, await parse(wat));
  return session;
}

test.each([QUOTE, "a`b", 'a\\"b', "a\\\\", "\\0a", "a*/b", "a${b}", "a\\u{2028}b"])(
  "a component with the module name %j is refused, because it would inject code into its bindings",
  async (name) => {
    const { tools, problems } = await (await withComponent(named(name))).load();
    expect(tools).toEqual([]);
    expect(problems[0]).toContain("a module's import or export is called");
    expect(readdirSync(place.cacheDir).filter((entry) => entry.includes(".new-"))).toEqual([]);
  },
);

test("module names as compilers generate them are accepted", async () => {
  const session = await withComponent(named("[method]wasi:io/streams@0.2.0#output-stream.write<T>|$1"));
  expect(textOf((await session.run("hostile", {})).content)).toBe("The program ended without output.");
});

test.each([
  { deed: "unreachable", ends: "traps" },
  { deed: "(loop $l (br $l))", ends: "never ends" },
])("a component that $ends during instantiation fails only its own call", async ({ deed }) => {
  const session = await withComponent(atRandom(deed), { timeoutMs: 300 });
  const pid = place.sandbox.pid();
  const signal = new AbortController().signal;
  const caller = { sessionId: "other", channelKey: "other", signal, queued: () => {} };
  const input = JSON.stringify({ code: "'fine'", file: null, maxChars: 100, overflow: "out", seed: 1 });
  for (let round = 0; round < 6; round++) {
    await session.run("hostile", {});
    const grant = { root: path.join(session.root, "other"), writable: false, ...PROGRAM_LIMITS };
    expect(await place.sandbox.call("js", input, grant, caller)).toContain("fine");
  }
  if (pid !== undefined) expect(place.sandbox.pid()).toBe(pid);
});

test("the memories of a component share one limit", async () => {
  const session = await withComponent(greedy, { memoryMb: 64 });
  expect(await session.run("hostile", {})).toMatchObject({ isError: false });
});

test("a component whose initial memory exceeds the limit does not run", async () => {
  const session = await withComponent(program("", `(memory 2048) ${SUCCEED}`, ""), { memoryMb: 64 });
  const result = await session.run("hostile", {});
  expect(result.isError).toBe(true);
  expect(textOf(result.content)).toContain("it begins with 128 MB of memory; its limit is 64 MB");
});
