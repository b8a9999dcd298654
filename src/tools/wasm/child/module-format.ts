/** A section of a module in WebAssembly's binary format: magic and version, then sections of id, size, content. */
export interface Section {
  readonly id: number;
  /** With its id and size. */
  readonly bytes: Uint8Array;
  readonly contentAt: number;
}

/** Bytes of magic and version. */
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

/** A number as the format writes it, and where the next thing begins. */
export function readLeb(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0, next = at; ; shift += 7, next++) {
    const byte = bytes[next] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: next + 1 };
  }
}

/** A number in the format. */
export function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest & 0x7f) | 0x80);
  }
}
