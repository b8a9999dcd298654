/** TextEncoder and TextDecoder, which QuickJS lacks: UTF-8, and latin1 for decoding only. */

class Utf8Encoder {
  readonly encoding = "utf-8";

  encode(text = ""): Uint8Array {
    return bytesOfLatin1(encoded(text));
  }

  encodeInto(text: string, bytes: Uint8Array): { read: number; written: number } {
    const whole = this.encode(text);
    if (whole.length <= bytes.length) {
      bytes.set(whole);
      return { read: text.length, written: whole.length };
    }
    const part = whole.subarray(0, completeEnd(whole.subarray(0, bytes.length)));
    bytes.set(part);
    return { read: decodeUtf8(latin1Of(part), "replace").length, written: part.length };
  }
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
    const text = decodeUtf8(latin1Of(bytes.subarray(0, end)), this.fatal ? "refuse" : "replace");
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

/*
 * Functions of the engine do the work below, because a loop over characters takes ten times as long. They take pieces,
 * because each step between a text and its bytes is another copy in the guest's memory.
 */
const PIECE = 65_536;

export function latin1Of(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) pieces.push(atob(bytes.subarray(at, at + PIECE).toBase64()));
  return pieces.join("");
}

export function bytesOfLatin1(content: string): Uint8Array {
  const bytes = new Uint8Array(content.length);
  for (let at = 0; at < content.length; at += PIECE)
    bytes.set(Uint8Array.fromBase64(btoa(content.slice(at, at + PIECE))), at);
  return bytes;
}

/** Detects ASCII, since most text is. */
const ASCII = /^[^\u0080-\uffff]*$/;

/**
 * Base of the characters for bytes that are no valid UTF-8 in `textKeepingBytes`: lone surrogates, which no valid text
 * contains.
 */
const BYTE_AT = 0xdc00;
const KEPT_BYTE = /([\udc80-\udcff])/u;

/** A text's UTF-8 with one character for each byte, the form of contents on the host's side. */
export function utf8Bytes(text: string): string {
  if (text.isWellFormed()) return encoded(text);
  const parts = text.split(KEPT_BYTE);
  return parts.map((part, index) => (index % 2 === 0 ? encoded(part) : byteOf(part))).join("");
}

function encoded(text: string): string {
  if (ASCII.test(text)) return text;
  return text.toWellFormed().replace(/[^]{1,65536}/gu, (piece) => unescape(encodeURIComponent(piece)));
}

function byteOf(kept: string): string {
  return String.fromCharCode(kept.charCodeAt(0) - BYTE_AT);
}

/** Decodes UTF-8 given as one character for each byte, and keeps its byte order mark. */
export function textOfBytes(content: string): string {
  return decodeUtf8(content, "replace");
}

/**
 * Does the same for text that will be written again: `utf8Bytes` restores every byte, even if the encoding is another
 * one.
 */
export function textKeepingBytes(content: string): string {
  return decodeUtf8(content, "keep");
}

/** A text in which each byte beyond ASCII is a character of its own; `utf8Bytes` restores the bytes. */
export function textOfEachByte(content: string): string {
  return ASCII.test(content) ? content : content.replace(/[\x80-\xff]/g, keptByte);
}

/** Index after the last complete character. */
function completeEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    if (byte >= 0xc0) return back < size ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Runs of characters in UTF-8, without surrogates, overlong forms and code points above U+10FFFF. */
const CHARACTERS =
  /((?:[^\x80-\uffff]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}){1,4096})/;
/** Bytes that are none, of which the Encoding standard replaces the beginning of a character as one. */
const OTHER_BYTES =
  /\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f]|\xf0[\x90-\xbf][\x80-\xbf]?|[\xf1-\xf3][\x80-\xbf]{1,2}|\xf4[\x80-\x8f][\x80-\xbf]?|[^]/g;

/** Decodes UTF-8 given as one character for each byte; `others` says how to handle bytes that are no valid UTF-8. */
function decodeUtf8(content: string, others: "refuse" | "replace" | "keep"): string {
  if (ASCII.test(content)) return content;
  return content.replace(/[^]{1,65536}[\x80-\xbf]*/g, (piece) => decodePiece(piece, others));
}

function decodePiece(piece: string, others: "refuse" | "replace" | "keep"): string {
  try {
    return decodeURIComponent(escape(piece));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    if (others === "refuse") throw new TypeError("The encoded data was not valid utf-8", { cause: error });
    const replaced = others === "keep" ? keptBytes : (bytes: string) => bytes.replace(OTHER_BYTES, "\ufffd");
    const parts = piece.split(CHARACTERS);
    return parts.map((part, index) => (index % 2 === 0 ? replaced(part) : decodeURIComponent(escape(part)))).join("");
  }
}

function keptBytes(content: string): string {
  return content.replace(/[^]/g, keptByte);
}

function keptByte(byte: string): string {
  return String.fromCharCode(BYTE_AT + byte.charCodeAt(0));
}

Object.assign(globalThis, { TextEncoder: Utf8Encoder, TextDecoder: BytesDecoder });
