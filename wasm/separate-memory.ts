import { Buffer } from "node:buffer";
import { PAGE_BYTES } from "../src/tools/wasm/child/memory-image.ts";
import { HEADER_BYTES, leb, readLeb, type Section, sectionsOf } from "../src/tools/wasm/child/module-format.ts";

/** Module and field of the import that replaces the memory. */
const IMPORT = Buffer.concat([name("deckhand"), name("memory")]);

const IMPORTS = 2;
const MEMORIES = 5;
const DATA = 11;

/** A module without its memory, and the memory's initial contents in whole pages. */
export interface SeparatedModule {
  readonly module: Uint8Array;
  readonly image: Uint8Array;
}

/**
 * Replaces a module's only memory by an import named `memory` of `deckhand`, so that an instance's memory can be reset
 * for the next one. Null if the module has no memory or its memory is empty.
 */
export function separateMemory(module: Uint8Array): SeparatedModule | null {
  const sections = sectionsOf(module);
  const memory = sections.find(({ id }) => id === MEMORIES);
  const data = sections.find(({ id }) => id === DATA);
  const imports = sections.find(({ id }) => id === IMPORTS);
  if (memory === undefined || data === undefined || imports === undefined) return null;
  const [count, flags] = memory.bytes.subarray(memory.contentAt);
  if (count !== 1 || flags !== 0) throw new Error("the module has other memories than one without a maximum");
  const pages = readLeb(memory.bytes, memory.contentAt + 2).value;
  const kept = sections.filter((section) => section !== memory && section !== data);
  const parts = kept.map((section) => (section === imports ? withMemory(section, pages) : section.bytes));
  return {
    module: Buffer.concat([module.subarray(0, HEADER_BYTES), ...parts]),
    image: imageOf(data, pages),
  };
}

/** Memories are numbered separately from functions, so the new import shifts no index. */
function withMemory({ bytes, contentAt }: Section, pages: number): Uint8Array {
  const { value, next } = readLeb(bytes, contentAt);
  const body = Buffer.concat([
    Buffer.from(leb(value + 1)),
    bytes.subarray(next),
    IMPORT,
    Buffer.from([2, 0, ...leb(pages)]),
  ]);
  return Buffer.concat([Buffer.from([IMPORTS, ...leb(body.length)]), body]);
}

/** Each segment is 0, an offset (`i32.const`, `end`) and its bytes. */
function imageOf({ bytes, contentAt }: Section, pages: number): Uint8Array {
  const image = new Uint8Array(pages * PAGE_BYTES);
  const { value: count, next: first } = readLeb(bytes, contentAt);
  for (let index = 0, at = first; index < count; index++) {
    if (bytes[at] !== 0 || bytes[at + 1] !== 0x41)
      throw new Error("a segment is put elsewhere than at a constant place");
    const offset = readLeb(bytes, at + 2);
    if (bytes[offset.next] !== 0x0b) throw new Error("a segment's place is computed");
    const size = readLeb(bytes, offset.next + 1);
    image.set(bytes.subarray(size.next, size.next + size.value), offset.value);
    at = size.next + size.value;
  }
  return image;
}

function name(text: string): Uint8Array {
  return Buffer.from([text.length, ...Buffer.from(text)]);
}
