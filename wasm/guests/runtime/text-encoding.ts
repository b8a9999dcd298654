/** TextEncoder and TextDecoder, which QuickJS lacks: UTF-8, and latin1 for decoding only. */

class Utf8Encoder {
  readonly encoding = "utf-8";

  encode(text = ""): Uint8Array {
    const bytes = new Uint8Array(text.length * 3);
    return bytes.slice(0, this.encodeInto(text, bytes).written);
  }

  encodeInto(text: string, bytes: Uint8Array): { read: number; written: number } {
    let written = 0;
    let read = 0;
    while (read < text.length) {
      const point = scalarAt(text, read);
      const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (written + size > bytes.length) break;
      writePoint(bytes, written, point, size);
      written += size;
      read += size === 4 ? 2 : 1;
    }
    return { read, written };
  }
}

/** The code point; U+FFFD for a lone surrogate. */
function scalarAt(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0;
  return point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
}

// oxlint-disable-next-line max-params -- called for each character
function writePoint(bytes: Uint8Array, at: number, point: number, size: number): void {
  if (size === 1) {
    bytes[at] = point;
    return;
  }
  for (let index = size - 1; index > 0; index--)
    bytes[at + index] = 0x80 | ((point >> (6 * (size - 1 - index))) & 0x3f);
  bytes[at] = ((0xf00 >> size) & 0xff) | (point >> (6 * (size - 1)));
}

class BytesDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  /** Bytes of an incomplete character at the end of a chunk. */
  #rest: Uint8Array = new Uint8Array(0);

  constructor(label = "utf-8", options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    this.encoding = /^(utf-?8|unicode-1-1-utf-8)$/i.test(label) ? "utf-8" : "windows-1252";
    if (this.encoding !== "utf-8" && !/^(latin-?1|ascii|us-ascii|iso-8859-1|windows-1252|binary)$/i.test(label)) {
      throw new RangeError(`The encoding ${label} is not supported.`);
    }
    this.fatal = options.fatal === true;
    this.ignoreBOM = options.ignoreBOM === true;
  }

  decode(input?: ArrayBuffer | ArrayBufferView, options: { stream?: boolean } = {}): string {
    const given = bytesOf(input);
    if (this.encoding !== "utf-8") return latin1Of(given);
    const bytes = this.#rest.length === 0 ? given : joined(this.#rest, given);
    const end = options.stream === true ? completeEnd(bytes) : bytes.length;
    this.#rest = bytes.slice(end);
    const text = decodeUtf8(bytes.subarray(0, end), this.fatal ? "refuse" : "replace");
    return !this.ignoreBOM && text.startsWith("\uFEFF") ? text.slice(1) : text;
  }
}

function bytesOf(input?: ArrayBuffer | ArrayBufferView): Uint8Array {
  if (input === undefined) return new Uint8Array(0);
  return ArrayBuffer.isView(input)
    ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
    : new Uint8Array(input);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** Maximum arguments of one call. */
const CHUNK = 8_192;

export function latin1Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
}

/** Detects ASCII: one test by the engine is far quicker than a loop here, and most text passes it. */
// oxlint-disable-next-line no-control-regex -- the range is what is meant
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * Base of the characters for bytes that are no valid UTF-8 in `textKeepingBytes`: lone surrogates, which no valid text
 * contains.
 */
const BYTE_AT = 0xdc00;
const KEPT_BYTE = /([\udc80-\udcff])/u;

/** A text's UTF-8 with one character for each byte, the form of contents on the host's side. */
export function utf8Bytes(text: string): string {
  if (ASCII.test(text)) return text;
  const parts = text.split(KEPT_BYTE);
  return parts.map((part, index) => (index % 2 === 0 ? encoded(part) : byteOf(part))).join("");
}

function encoded(text: string): string {
  return ASCII.test(text) ? text : latin1Of(new Utf8Encoder().encode(text));
}

function byteOf(kept: string): string {
  return String.fromCharCode(kept.charCodeAt(0) - BYTE_AT);
}

/** Decodes UTF-8 given as one character for each byte, and keeps its byte order mark. */
export function textOfBytes(content: string): string {
  if (ASCII.test(content)) return content;
  return new BytesDecoder("utf-8", { ignoreBOM: true }).decode(bytesOfLatin1(content));
}

/**
 * Does the same for text that will be written again: `utf8Bytes` restores every byte, even if the encoding is another
 * one.
 */
export function textKeepingBytes(content: string): string {
  return ASCII.test(content) ? content : decodeUtf8(bytesOfLatin1(content), "keep");
}

export function bytesOfLatin1(content: string): Uint8Array {
  const bytes = new Uint8Array(content.length);
  for (let at = 0; at < content.length; at++) bytes[at] = content.charCodeAt(at);
  return bytes;
}

/** Index after the last complete character. */
function completeEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return back < sizeOf(byte) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function sizeOf(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

/** `others` says how to handle bytes that are no valid UTF-8. */
function decodeUtf8(bytes: Uint8Array, others: "refuse" | "replace" | "keep"): string {
  if (isAscii(bytes)) return latin1Of(bytes);
  let text = "";
  let units: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { point, size } = pointAt(bytes, at);
    if (point === null && others === "refuse") throw new TypeError("The encoded data was not valid utf-8");
    const scalar = point ?? 0xfffd;
    if (point === null && others === "keep")
      for (const byte of bytes.subarray(at, at + size)) units.push(BYTE_AT + byte);
    else if (scalar < 0x10000) units.push(scalar);
    else units.push(0xd7c0 + (scalar >> 10), 0xdc00 + (scalar & 0x3ff));
    at += size;
    if (units.length >= CHUNK) {
      text += String.fromCharCode(...units);
      units = [];
    }
  }
  return text + String.fromCharCode(...units);
}

function isAscii(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte > 0x7f) return false;
  return true;
}

/** One character; null for invalid bytes, of which as many are skipped as the Encoding standard says. */
function pointAt(bytes: Uint8Array, at: number): { point: number | null; size: number } {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return { point: lead, size: 1 };
  if (lead < 0xc2 || lead > 0xf4) return { point: null, size: 1 };
  const size = sizeOf(lead);
  let point = lead & (0x7f >> size);
  for (let index = 1; index < size; index++) {
    const byte = bytes[at + index] ?? 0;
    const [low, high] = index === 1 ? boundsAfter(lead) : [0x80, 0xbf];
    if (byte < low || byte > high) return { point: null, size: index };
    point = (point << 6) | (byte & 0x3f);
  }
  return { point, size };
}

/** Allowed bytes after a lead byte, excluding surrogates, overlong forms and code points above U+10FFFF. */
function boundsAfter(lead: number): readonly [number, number] {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  return lead === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
}

Object.assign(globalThis, { TextEncoder: Utf8Encoder, TextDecoder: BytesDecoder });
