import { bytesOfLatin1, latin1Of } from "../../runtime/text-encoding.ts";
import { Refusal } from "../text/command.ts";
import { gunzipSync, gzipSync } from "../zlib.ts";

/** A file of a ZIP archive, or a directory, whose name ends with a slash. Source: PKWARE, APPNOTE.TXT 6.3.10. */
export interface ZipEntry {
  /** Bytes, one character for each. */
  readonly name: string;
  /** UNIX mode with the kind of file; null if the archive was made on another system. */
  readonly mode: number | null;
  /** The clock's time, as UTC in milliseconds: the format stores no time zone. */
  readonly wallMs: number;
  readonly size: number;
  readonly crc: number;
  readonly isEncrypted: boolean;
  readonly method: number;
  /** As stored. */
  readonly packed: Uint8Array;
}

export const STORED = 0;
export const DEFLATED = 8;
/** Exit code of both programs for a damaged or missing archive. */
export const NO_ARCHIVE = 9;

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const LOCATOR_64_BYTES = 20;
const MAX_COMMENT = 65_535;
const UNIX = 3;
const UTF_8 = 0x800;
/** Version 2.0 of the format: directories and deflate. */
const VERSION = 20;
/** Value that says: the Zip64 field has it. */
const ELSEWHERE = 0xffff_ffff;

/** Null if this is no ZIP archive. */
export function zipEntriesIn(archive: string): ZipEntry[] | null {
  const bytes = bytesOfLatin1(archive);
  const view = new DataView(bytes.buffer);
  const end = endOf(view);
  if (end === null) return null;
  const entries: ZipEntry[] = [];
  const { count, start, shift } = directoryAt(view, end);
  for (let at = start, n = 0; n < count; n++) {
    if (at + CENTRAL_BYTES > view.byteLength || view.getUint32(at, true) !== CENTRAL) return null;
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const extraAt = at + CENTRAL_BYTES + (nameBytes ?? 0);
    const next = extraAt + (extraBytes ?? 0) + (commentBytes ?? 0);
    if (next > view.byteLength) return null;
    const name = latin1Of(bytes.subarray(at + CENTRAL_BYTES, extraAt));
    const sizes = sizesOf(view, at, { from: extraAt, to: extraAt + (extraBytes ?? 0) });
    const local = sizes.offset + shift;
    if (local + LOCAL_BYTES > view.byteLength || view.getUint32(local, true) !== LOCAL) return null;
    const from = local + LOCAL_BYTES + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const isUnix = view.getUint8(at + 5) === UNIX;
    entries.push({
      // Some programs of Windows write the separators of Windows.
      name: isUnix || name.includes("/") ? name : name.replaceAll("\\", "/"),
      mode: isUnix ? view.getUint16(at + 40, true) : null,
      wallMs: wallTimeOf(view.getUint16(at + 14, true), view.getUint16(at + 12, true)),
      size: sizes.size,
      crc: view.getUint32(at + 16, true),
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      packed: bytes.subarray(from, from + sizes.packed),
    });
    at = next;
  }
  return entries;
}

/** Offset of the end record, which a comment may follow; null if there is none. */
function endOf(view: DataView): number | null {
  const last = view.byteLength - END_BYTES;
  let found: number | null = null;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--) {
    if (view.getUint32(at, true) !== END) continue;
    // A comment may hold the same bytes, but only the record's comment reaches the end. Other bytes may follow it, too.
    if (at + view.getUint16(at + 20, true) === last) return at;
    found ??= at;
  }
  return found;
}

/** Number of entries, offset of the first, and bytes in front of the archive, such as a program that unpacks it. */
function directoryAt(view: DataView, end: number): { count: number; start: number; shift: number } {
  const count = view.getUint16(end + 10, true);
  const bytes = view.getUint32(end + 12, true);
  const start = view.getUint32(end + 16, true);
  const locator = end - LOCATOR_64_BYTES;
  if (count !== 0xffff && bytes !== ELSEWHERE && start !== ELSEWHERE) {
    const shift = Math.max(0, end - bytes - start);
    return { count, start: start + shift, shift };
  }
  const end64 = locator < 0 ? -1 : Number(view.getBigUint64(locator + 8, true));
  if (end64 < 0 || end64 + 56 > view.byteLength || view.getUint32(end64, true) !== END_64)
    return { count, start, shift: 0 };
  const wide = (field: number) => Number(view.getBigUint64(end64 + field, true));
  return { count: wide(32), start: wide(48), shift: 0 };
}

/** Sizes and the offset of the local header. Those that need more than 32 bits are in a Zip64 field, in this order. */
function sizesOf(view: DataView, at: number, extra: { readonly from: number; readonly to: number }) {
  const values = [24, 20, 42].map((field) => view.getUint32(at + field, true));
  for (let field = extra.from; field + 4 <= extra.to; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== 1) continue;
    let from = field + 4;
    for (const [index, value] of values.entries()) {
      if (value !== ELSEWHERE || from + 8 > extra.to) continue;
      values[index] = Number(view.getBigUint64(from, true));
      from += 8;
    }
  }
  const [size = 0, packed = 0, offset = 0] = values;
  return { size, packed, offset };
}

/** Throws Refusal if the entry cannot be unpacked, or not to the content that its checksum tells. */
export function unpacked({ isEncrypted, method, packed, crc, size }: ZipEntry): string {
  if (isEncrypted) throw new Refusal("it is encrypted, and no password can be given here");
  if (method !== STORED && method !== DEFLATED) throw new Refusal(`unsupported compression method ${method}`);
  if (size === 0) return "";
  const body = method === STORED ? storedBlocks(packed) : packed;
  const gzip = new Uint8Array(10 + body.length + 8);
  gzip.set([0x1f, 0x8b, DEFLATED]);
  gzip.set(body, 10);
  const view = new DataView(gzip.buffer);
  view.setUint32(10 + body.length, crc, true);
  view.setUint32(14 + body.length, size, true);
  try {
    return latin1Of(gunzipSync(gzip));
  } catch (error) {
    throw new Refusal(`bad content: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Deflate without compression, so that stored content is checked in the same way. Source: RFC 1951, 3.2.4. */
function storedBlocks(content: Uint8Array): Uint8Array {
  const MAX_BLOCK = 0xffff;
  const count = Math.ceil(content.length / MAX_BLOCK);
  const out = new Uint8Array(content.length + 5 * count);
  const view = new DataView(out.buffer);
  for (let n = 0, at = 0; n < count; n++) {
    const block = content.subarray(n * MAX_BLOCK, (n + 1) * MAX_BLOCK);
    out[at] = n === count - 1 ? 1 : 0;
    view.setUint16(at + 1, block.length, true);
    view.setUint16(at + 3, ~block.length & 0xffff, true);
    out.set(block, at + 5);
    at += 5 + block.length;
  }
  return out;
}

export interface NewEntry extends Pick<ZipEntry, "name" | "wallMs"> {
  readonly mode: number;
  /** Bytes, one character for each. */
  readonly content: string;
}

/** Compresses an entry, unless that makes it larger. `level` is one of zlib's, 0 to 9. */
export function packedEntry({ name, wallMs, mode, content }: NewEntry, level: number): ZipEntry {
  const plain = bytesOfLatin1(content);
  const gzip = gzipSync(plain, { level });
  const crc = new DataView(gzip.buffer, gzip.byteOffset).getUint32(gzip.length - 8, true);
  const deflated = gzip.subarray(10, -8);
  const isSmaller = level > 0 && deflated.length < plain.length;
  const packing = isSmaller ? { method: DEFLATED, packed: deflated } : { method: STORED, packed: plain };
  return { name, wallMs, mode, size: plain.length, crc, isEncrypted: false, ...packing };
}

/** The archive, one character for each byte. */
export function zipArchive(entries: readonly ZipEntry[]): string {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const local = headerOf(entry, null);
    directory.push(headerOf(entry, offset));
    parts.push(local, entry.packed);
    offset += local.length + entry.packed.length;
  }
  const end = new DataView(new ArrayBuffer(END_BYTES));
  end.setUint32(0, END, true);
  end.setUint16(8, entries.length, true);
  end.setUint16(10, entries.length, true);
  const bytes = directory.reduce((sum, one) => sum + one.length, 0);
  end.setUint32(12, bytes, true);
  end.setUint32(16, offset, true);
  return [...parts, ...directory, new Uint8Array(end.buffer)].map(latin1Of).join("");
}

/** A header in the directory, which points to the local one; `offset` is null for the local one itself. */
function headerOf({ name, mode, wallMs, method, crc, packed, size }: ZipEntry, offset: number | null): Uint8Array {
  const bytes = bytesOfLatin1(name);
  const fixed = offset === null ? LOCAL_BYTES : CENTRAL_BYTES;
  const header = new Uint8Array(fixed + bytes.length);
  const view = new DataView(header.buffer);
  view.setUint32(0, offset === null ? LOCAL : CENTRAL, true);
  if (offset !== null) {
    view.setUint16(4, (UNIX << 8) | VERSION, true);
    view.setUint16(40, mode ?? 0, true);
    view.setUint32(42, offset, true);
  }
  const shared = offset === null ? 4 : 6;
  const { date, time } = dosTimeOf(wallMs);
  view.setUint16(shared, VERSION, true);
  view.setUint16(shared + 2, UTF_8, true);
  view.setUint16(shared + 4, method, true);
  view.setUint16(shared + 6, time, true);
  view.setUint16(shared + 8, date, true);
  view.setUint32(shared + 10, crc, true);
  view.setUint32(shared + 14, packed.length, true);
  view.setUint32(shared + 18, size, true);
  view.setUint16(shared + 22, bytes.length, true);
  header.set(bytes, fixed);
  return header;
}

function wallTimeOf(date: number, time: number): number {
  const [year, month, day] = [1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31];
  return Date.UTC(year, month, day, time >> 11, (time >> 5) & 63, (time & 31) * 2);
}

/** The format knows 1980 to 2107, in steps of two seconds. */
function dosTimeOf(wallMs: number): { readonly date: number; readonly time: number } {
  const at = new Date(Math.max(wallMs, Date.UTC(1980, 0, 1)));
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return { date, time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1) };
}
