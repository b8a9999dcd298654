import { parse } from "@bytecodealliance/jco";
import { expect, test } from "vitest";
import { differencesOf } from "../../scripts/component-differences.ts";

interface Wat {
  readonly answer?: number;
  readonly data?: string;
  readonly imports?: string;
}

/** A component that exports `answer`, with memory that begins as `data` says. */
const component = ({ answer = 42, data = '(data (i32.const 0) "hello")', imports = "" }: Wat = {}) =>
  parse(`(component ${imports}
    (core module $module (memory 1) ${data} (func (export "answer") (result i32) (i32.const ${answer})))
    (core instance $instance (instantiate $module))
    (func (export "answer") (result s32) (canon lift (core func $instance "answer"))))`);

/** An import that is used. */
const CLOCK = `(import "test:more/clock" (instance $clock (export "now" (func (result u32)))))
  (core func $now (canon lower (func $clock "now")))
  (core module $teller (import "clock" "now" (func (result i32))))
  (core instance (instantiate $teller (with "clock" (instance (export "now" (func $now))))))`;

const SAME = { imports: [], parts: [], memory: { size: 5, differing: 0, places: 0 } };

const cases = [
  { name: "the same", other: {}, differences: SAME },
  {
    name: "the same memory, in other segments",
    other: { data: '(data (i32.const 0) "he") (data (i32.const 2) "llo")' },
    differences: SAME,
  },
  {
    name: "other bytes in memory, at two places",
    other: { data: '(data (i32.const 0) "jelly") (data (i32.const 40) "x")' },
    differences: { ...SAME, memory: { size: 41, differing: 3, places: 2 } },
  },
  {
    name: "other code",
    other: { answer: 43 },
    differences: { ...SAME, parts: ["component.core.wasm, section 4"] },
  },
  {
    name: "memory that the code fills",
    other: { data: '(data "hello")' },
    differences: { ...SAME, parts: ["component.core.wasm, section 5"], memory: { size: 5, differing: 5, places: 1 } },
  },
];

test.each(cases)("two components: $name", async ({ other, differences }) => {
  expect(await differencesOf(await component(), await component(other))).toEqual(differences);
});

test("an import that only one component has is named", async () => {
  expect((await differencesOf(await component({ imports: CLOCK }), await component())).imports).toEqual([
    "test:more/clock",
  ]);
});
