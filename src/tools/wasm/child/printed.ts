import { Buffer } from "node:buffer";

/** The newest bytes that a call has printed, readable by the pool after the worker has been interrupted. */
export type Printed = SharedArrayBuffer;

/** Number of bytes kept. */
const KEPT_BYTES = 65_536;
/** Length of the header, which counts all bytes ever printed. */
const COUNT = BigInt64Array.BYTES_PER_ELEMENT;

export function createPrinted(): Printed {
  return new SharedArrayBuffer(COUNT + KEPT_BYTES);
}

export function printLine(printed: Printed, line: string): void {
  print(printed, Buffer.from(`${line}\n`));
}

export function print(printed: Printed, bytes: Uint8Array): void {
  const count = new BigInt64Array(printed, 0, 1);
  const held = new Uint8Array(printed, COUNT);
  const newest = bytes.subarray(Math.max(bytes.length - KEPT_BYTES, 0));
  const total = Number(Atomics.load(count, 0)) + bytes.length;
  const start = (total - newest.length) % KEPT_BYTES;
  const first = newest.subarray(0, KEPT_BYTES - start);
  held.set(first, start);
  held.set(newest.subarray(first.length), 0);
  Atomics.store(count, 0, BigInt(total));
}

/** The printed text; if its beginning is lost, it starts with a whole line. */
export function printedText(printed: Printed): string {
  const total = Number(Atomics.load(new BigInt64Array(printed, 0, 1), 0));
  const held = Buffer.from(new Uint8Array(printed, COUNT)); // a copy, because decoders do not accept shared memory
  if (total <= KEPT_BYTES) return held.toString("utf8", 0, total);
  const at = total % KEPT_BYTES;
  const text = Buffer.concat([held.subarray(at), held.subarray(0, at)]).toString("utf8");
  const lineEnd = text.indexOf("\n");
  return lineEnd < text.length - 1 ? text.slice(lineEnd + 1) : text.replace(/^\ufffd{1,3}/, "");
}
