/** A vector as it is stored: at a quarter of its size, and its signs, by which it is compared with all others. */
export interface QuantizedVector {
  /** The signs of the first dimensions, one bit each. */
  readonly signs: Uint8Array;
  /** Each dimension, scaled so that the largest is 127. */
  readonly bytes: Int8Array;
}

/** Number of dimensions whose signs are kept; more would hardly improve the comparison. */
const MAX_SIGNS = 1_024;
/** Signs are compared in words of 32 bits. */
const WORD_BYTES = 4;
const LARGEST = 127;

export function quantize(vector: Float32Array): QuantizedVector {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return { signs: signsOf(vector), bytes: Int8Array.from(vector, (value) => Math.round((value / largest) * LARGEST)) };
}

export function signsOf(vector: Float32Array): Uint8Array {
  const signs = new Uint8Array(signBytes(vector.length));
  for (const [index, value] of vector.subarray(0, MAX_SIGNS).entries()) {
    const at = index >> 3;
    if (value > 0) signs[at] = (signs[at] ?? 0) | (1 << (index & 7));
  }
  return signs;
}

export function signBytes(dimensions: number): number {
  return Math.ceil(Math.min(dimensions, MAX_SIGNS) / (8 * WORD_BYTES)) * WORD_BYTES;
}

/** Cosine similarity, from -1 to 1; null if the sizes differ. */
export function similarity(vector: Float32Array, bytes: Int8Array): number | null {
  if (bytes.length !== vector.length) return null;
  let product = 0;
  let square = 0;
  for (const [index, value] of vector.entries()) {
    const other = bytes[index] ?? 0;
    product += value * other;
    square += other * other;
  }
  return square === 0 ? 0 : product / Math.sqrt(square);
}

export function hexOf(bytes: Uint8Array | Int8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

export function bytesFromHex(hex: string): Int8Array {
  return Int8Array.from(Buffer.from(hex, "hex"));
}
