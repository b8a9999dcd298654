/**
 * A zlib stream with one block of fixed codes (RFC 1950, RFC 1951) in which runs of one byte are
 * matches at distance 1. Rows that equal the one above are such runs, after PNG's filter.
 */
export function deflateRuns(bytes: Uint8Array): Uint8Array {
  const out = new BitWriter();
  out.bits(0x78, 8);
  out.bits(0x01, 8);
  out.bits(0b011, 3); // the last block, with fixed codes
  for (let at = 0; at < bytes.length; ) {
    const length = runAt(bytes, at);
    if (length >= SHORTEST) {
      writeRun(out, length);
      at += length;
    } else {
      writeLiteral(out, bytes[at] ?? 0);
      at++;
    }
  }
  out.code(0, 7); // the end of the block
  out.align();
  for (const byte of bigEndian(adler32(bytes))) out.bits(byte, 8);
  return out.bytes();
}

const SHORTEST = 3;
const LONGEST = 258;

/** How many bytes from here on equal the one before. */
function runAt(bytes: Uint8Array, at: number): number {
  if (at === 0) return 0;
  let length = 0;
  while (length < LONGEST && at + length < bytes.length && bytes[at + length] === bytes[at - 1]) length++;
  return length;
}

function writeLiteral(out: BitWriter, byte: number): void {
  if (byte < 144) out.code(0x30 + byte, 8);
  else out.code(0x190 + byte - 144, 9);
}

/** RFC 1951, 3.2.5: the first length of each code from 257 on, and its extra bits. */
const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];

function writeRun(out: BitWriter, length: number): void {
  const index = LENGTHS.findLastIndex((first) => first <= length);
  const code = 257 + index;
  if (code < 280) out.code(code - 256, 7);
  else out.code(0xc0 + code - 280, 8);
  out.bits(length - (LENGTHS[index] ?? 0), EXTRA[index] ?? 0);
  out.code(0, 5); // distance 1
}

class BitWriter {
  readonly #bytes: number[] = [];
  #bit = 0;

  /** The lowest bit first. */
  bits(value: number, count: number): void {
    for (let index = 0; index < count; index++) this.#push((value >> index) & 1);
  }

  /** Codes have their highest bit first. */
  code(value: number, count: number): void {
    for (let index = count - 1; index >= 0; index--) this.#push((value >> index) & 1);
  }

  align(): void {
    this.#bit = 0;
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  #push(bit: number): void {
    if (this.#bit === 0) this.#bytes.push(0);
    const last = this.#bytes.length - 1;
    this.#bytes[last] = (this.#bytes[last] ?? 0) | (bit << this.#bit);
    this.#bit = (this.#bit + 1) % 8;
  }
}

function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}

export function bigEndian(value: number): number[] {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
}
