import { expect, test } from "vitest";
import { ImagedMemory, PAGE_BYTES } from "../../../src/tools/wasm/child/memory-image.ts";
import { separateMemory } from "../../../wasm/separate-memory.ts";

const PAGES = 3;

function imaged() {
  const bytes = new Uint8Array(new SharedArrayBuffer(PAGES * PAGE_BYTES));
  for (let at = 0; at < bytes.length; at += 7) bytes[at] = at % 251;
  return { bytes, memories: new ImagedMemory({ bytes, maximum: PAGES + 1 }) };
}

test("a released memory is reset to its initial image", () => {
  const { bytes, memories } = imaged();
  const first = memories.take();
  new Uint8Array(first.buffer).fill(0xff);
  memories.leave(first);
  const next = memories.take();
  expect(next).toBe(first);
  expect(Buffer.from(next.buffer).equals(bytes)).toBe(true);
});

test("a memory that is in use or has grown is not reused", () => {
  const { bytes, memories } = imaged();
  const used = memories.take();
  const grown = memories.take();
  expect(grown).not.toBe(used);
  expect(grown.grow(1)).toBe(PAGES);
  memories.leave(grown);
  const next = memories.take();
  expect(next).not.toBe(grown);
  expect(next).not.toBe(used);
  expect(Buffer.from(next.buffer).equals(bytes)).toBe(true);
});

test("a memory cannot grow beyond its limit", () => {
  const memory = imaged().memories.take();
  memory.grow(1);
  expect(() => memory.grow(1)).toThrow(RangeError);
});

/** A module with one page of memory and "hi" at 300; it imports a function and exports the memory and a byte reader. */
const MODULE = Buffer.from(
  [
    "0061736d01000000",
    "0109026000006001 7f017f",
    "0207010161016200 00",
    "03020101",
    "0503010001",
    "070e02036d656d020004726561640001",
    "0a09010700 20002d00000b",
    "0b09010041ac020b026869",
  ]
    .join("")
    .replaceAll(" ", ""),
  "hex",
);

test("a module with its memory separated uses and exports the memory that it is given", async () => {
  const separated = separateMemory(MODULE);
  if (separated === null) throw new Error("it has a memory");
  const { module, image } = separated;
  expect(image).toHaveLength(PAGE_BYTES);
  expect(Buffer.from(image.subarray(300, 303)).toString()).toBe("hi\0");
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 2 });
  new Uint8Array(memory.buffer).set(image);
  const imports = { a: { b: () => {} }, deckhand: { memory } };
  const { exports } = await WebAssembly.instantiate(await WebAssembly.compile(module), imports);
  expect(exports["mem"]).toBe(memory);
});

test("a module without its own memory is unchanged", () => {
  expect(separateMemory(Buffer.from("0061736d01000000", "hex"))).toBeNull();
});
