import type { IndexWord } from "../search/words.ts";
import { signsOf } from "./vectors.ts";

/** Maximum number of vectors in memory, about 130 bytes each. Beyond it, further vectors are not compared. */
const MAX_HELD = 300_000;
const INITIAL_CAPACITY = 64;

export interface NearestMemories {
  /** Numbers of memories, the nearest first. */
  readonly seqs: readonly number[];
  /** Estimated average cosine similarity between the question and any memory; models differ in it. */
  readonly usual: number;
}

export const NOTHING_NEAR: NearestMemories = { seqs: [], usual: 0 };
/** Prior for the average similarity while there are few memories: typical of most models, with this many's weight. */
const ASSUMED = { alike: 0.2, count: 10 };

/** The sign bits of all vectors, grouped by who may read their memories. */
export type Nearest = ReturnType<typeof createNearest>;

/** Vectors that the same people may read. */
interface Partition {
  readonly audiences: readonly IndexWord[];
  seqs: Int32Array;
  signs: Int32Array;
  count: number;
}

export function createNearest() {
  const partitions = new Map<string, Partition>();
  let words = 0;
  const held = new Set<number>();
  const remove = (seq: number): void => {
    if (!held.delete(seq)) return;
    for (const partition of partitions.values()) {
      const at = partition.seqs.subarray(0, partition.count).indexOf(seq);
      if (at >= 0) removeAt(partition, at, words);
    }
  };
  return {
    /** Called when a memory is gone or has changed. */
    remove,
    /** Starts over with vectors of so many bytes of signs; drops all others. */
    begin(signBytes: number): void {
      partitions.clear();
      held.clear();
      words = signBytes / Int32Array.BYTES_PER_ELEMENT;
    },
    has: (seq: number) => held.has(seq),
    /** Adds a vector or replaces the memory's current one. */
    add(seq: number, audiences: readonly IndexWord[], signs: Uint8Array): void {
      remove(seq);
      if (held.size >= MAX_HELD || signs.length !== words * Int32Array.BYTES_PER_ELEMENT) return;
      const key = audiences.join(" ");
      const partition = partitions.get(key) ?? newPartition(audiences, words);
      partitions.set(key, partition);
      if (partition.count === partition.seqs.length) grow(partition, words);
      partition.seqs[partition.count] = seq;
      partition.signs.set(new Int32Array(signs.buffer, signs.byteOffset, words), partition.count * words);
      partition.count += 1;
      held.add(seq);
    },
    /** The memories that any of the readers may read whose vectors differ in the fewest signs. */
    find(vector: Float32Array, readers: readonly IndexWord[], most: number): NearestMemories {
      const signs = signsOf(vector);
      if (signs.length !== words * Int32Array.BYTES_PER_ELEMENT) return NOTHING_NEAR;
      const asked = new Int32Array(signs.buffer);
      const open = [...partitions.values()].filter(({ audiences }) => audiences.some((each) => readers.includes(each)));
      return nearestIn(open, asked, most);
    },
  };
}

function newPartition(audiences: readonly IndexWord[], words: number): Partition {
  return {
    audiences,
    seqs: new Int32Array(INITIAL_CAPACITY),
    signs: new Int32Array(INITIAL_CAPACITY * words),
    count: 0,
  };
}

function grow(partition: Partition, words: number): void {
  const { seqs, signs } = partition;
  partition.seqs = new Int32Array(2 * seqs.length);
  partition.signs = new Int32Array(2 * seqs.length * words);
  partition.seqs.set(seqs);
  partition.signs.set(signs);
}

/** Fills the gap with the last entry. */
function removeAt(partition: Partition, at: number, words: number): void {
  partition.count -= 1;
  partition.seqs[at] = partition.seqs[partition.count] ?? 0;
  partition.signs.copyWithin(at * words, partition.count * words, (partition.count + 1) * words);
}

function nearestIn(partitions: readonly Partition[], asked: Int32Array, most: number): NearestMemories {
  const bits = 32 * asked.length;
  const often = new Uint32Array(bits + 1);
  const distances = partitions.map((partition) => distancesIn(partition, asked, often));
  let furthest = 0;
  for (let sum = 0; furthest <= bits; furthest += 1) {
    sum += often[furthest] ?? 0;
    if (sum >= most) break;
  }
  const found: { readonly seq: number; readonly distance: number }[] = [];
  for (const [index, { seqs, count }] of partitions.entries()) {
    const each = distances[index];
    for (let at = 0; at < count; at += 1) {
      const distance = each?.[at] ?? bits;
      if (distance <= furthest) found.push({ seq: seqs[at] ?? 0, distance });
    }
  }
  // Among equally near memories, the newest first.
  const sorted = found.toSorted((one, other) => one.distance - other.distance || other.seq - one.seq);
  return { seqs: sorted.slice(0, most).map(({ seq }) => seq), usual: usualIn(often) };
}

/** The average similarity from the average distance: the share of differing signs approximates the angle. */
function usualIn(often: Uint32Array): number {
  const bits = often.length - 1;
  const count = often.reduce((sum, times) => sum + times, 0);
  const mean = often.reduce((sum, times, distance) => sum + times * distance, 0) / Math.max(1, count);
  const alike = Math.cos((Math.PI * mean) / bits);
  return (alike * count + ASSUMED.alike * ASSUMED.count) / (count + ASSUMED.count);
}

/** Number of differing signs for each vector of a partition; also counts how often each number occurs. */
function distancesIn({ signs, count }: Partition, asked: Int32Array, often: Uint32Array): Uint16Array {
  const distances = new Uint16Array(count);
  const words = asked.length;
  for (let at = 0, from = 0; at < count; at += 1, from += words) {
    let distance = 0;
    for (let word = 0; word < words; word += 1) distance += bitsOf((signs[from + word] ?? 0) ^ (asked[word] ?? 0));
    distances[at] = distance;
    often[distance] = (often[distance] ?? 0) + 1;
  }
  return distances;
}

/** Source: H. Warren, “Hacker's Delight”, 2012, section 5-1. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55_55_55_55);
  const nibbles = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
}
