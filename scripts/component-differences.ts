import { transpile } from "@bytecodealliance/jco";
import { readLeb, type Section, sectionsOf } from "../src/tools/wasm/child/module-format.ts";

const DATA_SECTION = 11;
/** Says how many segments the data section has. */
const DATA_COUNT_SECTION = 12;
const I32_CONST = 0x41;

/** In what two components differ. */
export interface Differences {
  /** What only one of them imports. */
  readonly imports: readonly string[];
  /** Files of their bindings and sections of their modules; not what fills memory. */
  readonly parts: readonly string[];
  /** What their modules' memories hold when they begin, in bytes; a place is a run of bytes that are close together. */
  readonly memory: { readonly size: number; readonly differing: number; readonly places: number };
}

/** Bytes between two that differ up to which they are of one place: a table's entry is larger than what differs in it. */
const CLOSE = 16;

/**
 * Compares what the components are to an engine. Their bytes would not do: memory is stored in segments between
 * runs of zeros, so a byte that is zero in one of them moves all that follows it.
 */
export async function differencesOf(one: Uint8Array, other: Uint8Array): Promise<Differences> {
  const [ours, theirs] = await Promise.all([taken(one), taken(other)]);
  const memories = [...pairs(ours.memories, theirs.memories)].map(([, mine = EMPTY, its = EMPTY]) =>
    compareMemories(mine, its),
  );
  const total = (field: keyof Differences["memory"]): number =>
    memories.reduce((sum, memory) => sum + memory[field], 0);
  return {
    imports: [...onlyIn(ours.imports, theirs.imports), ...onlyIn(theirs.imports, ours.imports)],
    parts: [...pairs(ours.parts, theirs.parts)].filter(([, mine, its]) => !areEqual(mine, its)).map(([name]) => name),
    memory: { size: total("size"), differing: total("differing"), places: total("places") },
  };
}

const onlyIn = (some: readonly string[], others: readonly string[]): string[] =>
  some.filter((name) => !others.includes(name));

const EMPTY = new Uint8Array();

interface Taken {
  readonly imports: readonly string[];
  readonly parts: ReadonlyMap<string, Uint8Array>;
  readonly memories: ReadonlyMap<string, Uint8Array>;
}

/** A component taken apart. */
async function taken(component: Uint8Array): Promise<Taken> {
  const { files, imports } = await transpile(component, { name: "component", instantiation: "async" });
  const parts = new Map<string, Uint8Array>();
  const memories = new Map<string, Uint8Array>();
  for (const [name, bytes] of Object.entries(files)) {
    if (!name.endsWith(".wasm")) parts.set(name, bytes);
    else
      for (const [index, section] of sectionsOf(bytes).entries()) {
        const memory = section.id === DATA_SECTION ? memoryOf(section) : null;
        if (memory !== null) memories.set(name, memory);
        else if (section.id !== DATA_COUNT_SECTION) parts.set(`${name}, section ${index}`, section.bytes);
      }
  }
  return { imports, parts, memories };
}

/** By name, undefined where one of them has none. */
function* pairs(
  ours: ReadonlyMap<string, Uint8Array>,
  theirs: ReadonlyMap<string, Uint8Array>,
): Generator<[name: string, Uint8Array | undefined, Uint8Array | undefined]> {
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) yield [name, ours.get(name), theirs.get(name)];
}

function areEqual(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.from(one).equals(other);
}

/** As it is when the module has been instantiated, up to the last byte that the module sets. Null: its code decides. */
function memoryOf(data: Section): Uint8Array | null {
  const segments = segmentsOf(data);
  if (segments === null) return null;
  const memory = new Uint8Array(
    segments.reduce((size, { address, bytes }) => Math.max(size, address + bytes.length), 0),
  );
  for (const { address, bytes } of segments) memory.set(bytes, address);
  return memory;
}

interface Segment {
  readonly address: number;
  readonly bytes: Uint8Array;
}

/**
 * Each is a kind, an expression for the address that ends with a byte, and the bytes with their length before them.
 * Null unless all have an address that the module says.
 */
function segmentsOf({ bytes, contentAt }: Section): Segment[] | null {
  const count = readLeb(bytes, contentAt);
  const segments: Segment[] = [];
  for (let index = 0, at = count.next; index < count.value; index++) {
    if (bytes[at] !== 0 || bytes[at + 1] !== I32_CONST) return null;
    const address = readLeb(bytes, at + 2);
    const length = readLeb(bytes, address.next + 1);
    at = length.next + length.value;
    segments.push({ address: address.value, bytes: bytes.subarray(length.next, at) });
  }
  return segments;
}

function compareMemories(one: Uint8Array, other: Uint8Array): Differences["memory"] {
  const size = Math.max(one.length, other.length);
  let [differing, places, last] = [0, 0, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < size; at++) {
    if ((one[at] ?? 0) === (other[at] ?? 0)) continue;
    differing++;
    if (at - last > CLOSE) places++;
    last = at;
  }
  return { size, differing, places };
}
