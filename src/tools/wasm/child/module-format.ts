/** A section of a module in WebAssembly's binary format: magic and version, then sections of id, size, content. */
export interface Section {
  readonly id: number;
  /** The whole section, with id and size. */
  readonly bytes: Uint8Array;
  readonly contentAt: number;
}

/** Length in bytes of magic and version. */
export const HEADER_BYTES = 8;

export function sectionsOf(module: Uint8Array): Section[] {
  const sections: Section[] = [];
  for (let at = HEADER_BYTES; at < module.length; ) {
    const size = readLeb(module, at + 1);
    const end = size.next + size.value;
    sections.push({ id: module[at] ?? 0, bytes: module.subarray(at, end), contentAt: size.next - at });
    at = end;
  }
  return sections;
}

/** Reads a LEB128 number, and returns where the next item begins. */
export function readLeb(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0, next = at; ; shift += 7, next++) {
    const byte = bytes[next] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: next + 1 };
  }
}

/** Encodes a number as LEB128. */
export function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest & 0x7f) | 0x80);
  }
}
