import { Buffer } from "node:buffer";

/** WebAssembly binary format: magic and version, then sections of id, size, content. */
const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const PAGES_PER_MB = 16;

/**
 * Sets the maximum of every memory that a core module defines. Engines have no other limit for it:
 * a guest that wants more gets a failed allocation.
 */
export function capMemory(module: Uint8Array, memoryMb: number): Uint8Array {
  const parts: Uint8Array[] = [module.subarray(0, HEADER_BYTES)];
  for (let at = HEADER_BYTES; at < module.length; ) {
    const size = readLeb(module, at + 1);
    const end = size.next + size.value;
    const isMemory = module[at] === MEMORY_SECTION;
    parts.push(isMemory ? cappedSection(module, size.next, memoryMb * PAGES_PER_MB) : module.subarray(at, end));
    at = end;
  }
  return Buffer.concat(parts);
}

/** Each entry is flags, minimum and, if bit 0 of the flags says so, maximum. */
function cappedSection(module: Uint8Array, start: number, maxPages: number): Uint8Array {
  const count = readLeb(module, start);
  const body: number[] = leb(count.value);
  let at = count.next;
  for (let index = 0; index < count.value; index++) {
    const flags = module[at] ?? 0;
    const minimum = readLeb(module, at + 1);
    const maximum = (flags & 1) === 1 ? readLeb(module, minimum.next) : null;
    at = maximum?.next ?? minimum.next;
    const cap = Math.max(minimum.value, Math.min(maximum?.value ?? maxPages, maxPages));
    body.push(flags | 1, ...leb(minimum.value), ...leb(cap));
  }
  return Uint8Array.from([MEMORY_SECTION, ...leb(body.length), ...body]);
}

function readLeb(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0, next = at; ; shift += 7, next++) {
    const byte = bytes[next] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: next + 1 };
  }
}

function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest & 0x7f) | 0x80);
  }
}
