import { Buffer } from "node:buffer";
import { SandboxError } from "../../../core/protocol/errors.ts";
import { HEADER_BYTES, leb, readLeb, type Section, sectionsOf } from "./module-format.ts";

const MEMORY_SECTION = 5;
const PAGES_PER_MB = 16;

/** Sizes in pages of 64 KB. */
interface Memory {
  readonly flags: number;
  readonly minimum: number;
  readonly maximum: number;
}

export interface CappedGuest {
  readonly modules: readonly Uint8Array[];
  /** Maximum pages of the memory that the modules import. */
  readonly imported: number;
}

/**
 * Sets the maximum of every memory that a guest's modules define, so that all together, including an imported one, stay
 * below the limit. `imported` is the initial number of pages of the imported memory. Engines have no other limit, and
 * beyond it a guest's allocations fail. Throws SandboxError for a guest whose initial memory is larger.
 */
export function capMemories(modules: readonly Uint8Array[], memoryMb: number, imported: number): CappedGuest {
  const parsed = modules.map(sectionsOf);
  const memories = parsed.flat().flatMap(memoriesOf);
  const least = memories.reduce((sum, { minimum }) => sum + minimum, imported);
  const free = memoryMb * PAGES_PER_MB - least;
  if (free < 0) {
    const needed = Math.ceil(least / PAGES_PER_MB);
    throw new SandboxError("sandbox_failed", `it begins with ${needed} MB of memory; its limit is ${memoryMb} MB`);
  }
  const share = Math.floor(free / Math.max(1, memories.length + (imported > 0 ? 1 : 0)));
  const capped = modules.map((module, index) => {
    const sections = (parsed[index] ?? []).map((section) => withMaximum(section, share));
    return Buffer.concat([module.subarray(0, HEADER_BYTES), ...sections]);
  });
  return { modules: capped, imported: imported + share };
}

/** Each entry has flags, minimum and, if bit 0 of the flags is set, maximum. */
function memoriesOf({ id, bytes, contentAt }: Section): Memory[] {
  if (id !== MEMORY_SECTION) return [];
  const count = readLeb(bytes, contentAt);
  const memories: Memory[] = [];
  let at = count.next;
  for (let index = 0; index < count.value && at < bytes.length; index++) {
    const flags = bytes[at] ?? 0;
    const minimum = readLeb(bytes, at + 1);
    const maximum = (flags & 1) === 1 ? readLeb(bytes, minimum.next) : null;
    at = maximum?.next ?? minimum.next;
    memories.push({ flags, minimum: minimum.value, maximum: maximum?.value ?? Number.POSITIVE_INFINITY });
  }
  return memories;
}

/** Returns the section with each memory's maximum set to its minimum plus a share, unless it is already lower. */
function withMaximum(section: Section, share: number): Uint8Array {
  if (section.id !== MEMORY_SECTION) return section.bytes;
  const memories = memoriesOf(section);
  const body = leb(memories.length);
  for (const { flags, minimum, maximum } of memories) {
    body.push(flags | 1, ...leb(minimum), ...leb(Math.min(maximum, minimum + share)));
  }
  return Uint8Array.from([MEMORY_SECTION, ...leb(body.length), ...body]);
}
