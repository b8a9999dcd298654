import { transpile } from "@bytecodealliance/jco";
import { readLeb, type Section, sectionsOf } from "../src/tools/wasm/child/module-format.ts";

const DATA_SECTION = 11;
/** Section that declares the number of data segments. */
const DATA_COUNT_SECTION = 12;
const I32_CONST = 0x41;

/** How two components differ. */
export interface Differences {
  /** Imports of only one of them. */
  readonly imports: readonly string[];
  /** Differing files of the bindings and sections of the modules, without the contents of memory. */
  readonly parts: readonly string[];
  /** Differences in the initial memories, in bytes; a place is a run of nearby differing bytes. */
  readonly memory: { readonly size: number; readonly differing: number; readonly places: number };
}

/** Maximum gap in bytes between differences of one place: a table's entry is larger than what differs in it. */
const CLOSE = 16;

/**
 * Compares what the components mean to an engine. Comparing bytes would not do: memory is stored in segments between
 * runs of zeros, so a byte that is zero in only one of them shifts everything after it.
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

/** A component split into its parts. */
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

/** Pairs by name, undefined where one side lacks the name. */
function* pairs(
  ours: ReadonlyMap<string, Uint8Array>,
  theirs: ReadonlyMap<string, Uint8Array>,
): Generator<[name: string, Uint8Array | undefined, Uint8Array | undefined]> {
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) yield [name, ours.get(name), theirs.get(name)];
}

function areEqual(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.from(one).equals(other);
}

/** Memory after instantiation, up to the last byte that the module sets. Null if the module's code determines it. */
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
 * Each segment is a kind, an address expression with an end byte, and length-prefixed bytes.
 * Null unless every segment has a constant address.
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
