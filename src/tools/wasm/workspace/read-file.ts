import { Buffer, isUtf8 } from "node:buffer";
import { createHash, type Hash, hash } from "node:crypto";
import { readSync } from "node:fs";
import { inUtf8 } from "./media-type.ts";
import { Refusal } from "./refusal.ts";

/** Maximum bytes held in memory at once: whole texts, and the lines of one window. */
export const MAX_WHOLE = 8_388_608;
const MAX_WINDOW = 1_048_576;
const CHUNK = 262_144;

export function readHead(fd: number, bytes: number): Buffer {
  const head = Buffer.allocUnsafe(bytes);
  return head.subarray(0, readSync(fd, head, 0, bytes, 0));
}

/** Reads the file's bytes, at most `maxBytes`. It may grow while it is read, so its size is not trusted. */
export function readWhole(fd: number, path: string, maxBytes = MAX_WHOLE): Buffer {
  const parts: Buffer[] = [];
  let size = 0;
  for (const chunk of chunks(fd)) {
    size += chunk.length;
    if (size > maxBytes) throw new Refusal(`${path} is larger than ${maxBytes} bytes: too large for this tool.`);
    parts.push(Buffer.from(chunk));
  }
  return Buffer.concat(parts);
}

/** Yields the same buffer with new bytes each time. */
function* chunks(fd: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; ; ) {
    const bytes = readSync(fd, buffer, 0, CHUNK, at);
    if (bytes === 0) return;
    at += bytes;
    yield buffer.subarray(0, bytes);
  }
}

export function hashFile(fd: number): string {
  const all = createHash("sha256");
  for (const chunk of chunks(fd)) all.update(chunk);
  return all.digest("hex");
}

export function hashOf(data: Buffer | string): string {
  return hash("sha256", data);
}

export interface LineWindow {
  readonly text: string;
  readonly totalLines: number;
  readonly sha256: string;
  readonly wellFormed: boolean;
}

/** Reads some lines of a file of any size, and hashes and counts all its lines, in one pass. */
export function readLines(fd: number, first: number, count: number): LineWindow {
  const scan = new LineScan(first, count);
  const utf16 = readUtf16(fd);
  if (utf16 !== null) {
    scan.take(utf16.text);
    return { ...scan.result(), sha256: utf16.sha256 };
  }
  for (const chunk of chunks(fd)) scan.take(chunk);
  return scan.result();
}

/**
 * Converts a UTF-16 file with a byte order mark to UTF-8; null for any other. Throws Refusal if it is too large for
 * memory.
 */
function readUtf16(fd: number): { readonly text: Buffer; readonly sha256: string } | null {
  const head = readHead(fd, 2);
  if (inUtf8(head) === head) return null;
  const bytes = readWhole(fd, "The file");
  return { text: inUtf8(bytes), sha256: hashOf(bytes) };
}

class LineScan {
  readonly #first: number;
  readonly #end: number;
  readonly #hash: Hash = createHash("sha256");
  readonly #parts: Buffer[] = [];
  #bufferedBytes = 0;
  /** The line of the next byte. */
  #line = 1;
  #endsOpen = false;

  constructor(first: number, count: number) {
    this.#first = first;
    this.#end = first + count;
  }

  take(chunk: Buffer): void {
    this.#hash.update(chunk);
    let from = 0;
    while (from < chunk.length) {
      const lf = chunk.indexOf(10, from);
      const to = lf === -1 ? chunk.length : lf + 1;
      if (this.#line >= this.#first && this.#line < this.#end) this.#keep(chunk.subarray(from, to));
      if (lf !== -1) this.#line++;
      from = to;
    }
    this.#endsOpen = chunk.at(-1) !== 10;
  }

  #keep(part: Buffer): void {
    const remaining = MAX_WINDOW - this.#bufferedBytes;
    if (remaining <= 0) return;
    const buffered = Buffer.from(part.subarray(0, remaining));
    this.#parts.push(buffered);
    this.#bufferedBytes += buffered.length;
  }

  result(): LineWindow {
    const bytes = Buffer.concat(this.#parts);
    return {
      text: bytes.toString("utf8"),
      totalLines: this.#line - (this.#endsOpen ? 0 : 1),
      sha256: this.#hash.digest("hex"),
      wellFormed: isUtf8(bytes) || this.#bufferedBytes === MAX_WINDOW,
    };
  }
}
