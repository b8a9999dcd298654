import { Buffer } from "node:buffer";
import { addAbortListener } from "node:events";
import type { IncomingMessage } from "node:http";
import { type Duplex, pipeline, Readable } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { systemCode } from "../../core/protocol/system-code.ts";
import { NetworkRefusal } from "./refusal.ts";

export interface Body {
  readonly bytes: Buffer;
  /** Why reading stopped: the body ended, or the byte limit or deadline was reached. */
  readonly ending: "whole" | "size" | "time";
}

export interface BodyBounds {
  /** Limit in bytes after decompression. */
  readonly maxBytes: number;
  /** Aborts at the deadline; what has arrived until then counts. */
  readonly deadline: AbortSignal;
  /** Receives the number of bytes read, even if reading fails: of the body or over the wire, whichever is greater. */
  readonly received?: ((bytes: number) => void) | undefined;
}

/** Bytes allowed over the wire for each byte of the body limit, for framing and compression that gains nothing. */
const WIRE_FACTOR = 2;
/** Additional allowance for what one read of a connection returns. */
const WIRE_SPARE = 65_536;

export const ACCEPT_ENCODING = "gzip, deflate, br, zstd";

/** Maximum number of stacked encodings; no real page uses more. */
const MAX_ENCODINGS = 3;

/** Error codes of decoders for input that they cannot read. Source: zlib, brotli and zstd, as Node names them. */
const UNREADABLE = /^(?:Z_|ERR__|ZSTD_)/;

/** Log2 of the largest window that a zstd stream may use. Source: RFC 9659, 8 MB. */
const ZSTD_WINDOW = 23;

/** Creates a decoder that returns the readable part of a truncated stream, as browsers do. */
function decoderFor(encoding: string): Duplex | null {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
    case "br":
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    case "zstd":
      return createZstdDecompress({
        finishFlush: constants.ZSTD_e_flush,
        params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW },
      });
    default:
      return null;
  }
}

/**
 * Decodes deflate in zlib's format or without its header, which some servers omit and browsers accept. Source: RFC
 * 9110, 8.4.1.2.
 */
async function* inflated(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  const options = { finishFlush: constants.Z_SYNC_FLUSH };
  const decoder = hasZlibHeader(first.value) ? createInflate(options) : createInflateRaw(options);
  async function* whole(): AsyncGenerator<Buffer> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  yield* pipeline(Readable.from(whole()), decoder, () => {}); // the reader of the decoder receives a failure
}

/** Whether the first byte names the deflate method. Source: RFC 1950, 2.2. */
function hasZlibHeader(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}

/**
 * Reads and decompresses a body chunk by chunk, holding no more than its bounds allow. Closes the connection if it
 * stops early. Throws NetworkRefusal, or the signal's reason.
 */
export async function readBody(message: IncomingMessage, bounds: BodyBounds, signal: AbortSignal): Promise<Body> {
  const { maxBytes, deadline, received = () => {} } = bounds;
  const wire = wireOf(message, maxBytes * WIRE_FACTOR + WIRE_SPARE);
  const chunks: Buffer[] = [];
  let size = 0;
  const whole = (ending: Body["ending"]): Body => ({ bytes: Buffer.concat(chunks).subarray(0, maxBytes), ending });
  const stop = (): void => void message.destroy(new NetworkRefusal("stopped"));
  const stopped = AbortSignal.any([signal, deadline]);
  using _ = addAbortListener(stopped, stop);
  try {
    for await (const chunk of decoded(message, wire.chunks)) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      size += bytes.length;
      if (size > maxBytes) return whole("size");
    }
    return whole(wire.isOver() ? "size" : "whole");
  } catch (cause) {
    signal.throwIfAborted();
    if (deadline.aborted) return whole("time");
    if (cause instanceof NetworkRefusal) throw cause;
    if (UNREADABLE.test(systemCode(cause) ?? ""))
      throw new NetworkRefusal(
        "The response cannot be decoded: its content does not match the encoding that it names. Continue without it.",
        cause,
      );
    throw new NetworkRefusal("The connection broke while the response was being received. Try again.", cause);
  } finally {
    message.destroy();
    received(Math.max(size, wire.bytes()));
  }
}

/**
 * Yields a message's bytes until its connection has received more than `limit`: some bytes are no part of the body, and
 * some decompress to nothing.
 */
function wireOf(message: IncomingMessage, limit: number) {
  const { socket } = message;
  const start = socket.bytesRead;
  const bytes = (): number => socket.bytesRead - start;
  let over = false;
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of message) {
      over = bytes() > limit;
      if (over) return;
      yield chunk;
    }
  }
  return { chunks, bytes, isOver: () => over };
}

function decoded(message: IncomingMessage, chunks: () => AsyncGenerator<Buffer>): AsyncIterable<Buffer> {
  const encodings = (message.headers["content-encoding"] ?? "")
    .split(",")
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== "" && encoding !== "identity");
  if (encodings.length > MAX_ENCODINGS) throw new NetworkRefusal("The response is compressed too many times.");
  let stream: Readable = Readable.from(chunks());
  for (const encoding of encodings.toReversed()) {
    if (encoding === "deflate") {
      stream = Readable.from(inflated(stream));
      continue;
    }
    const decoder = decoderFor(encoding);
    if (decoder === null) throw new NetworkRefusal(`The response is encoded as ${encoding}, which is not supported.`);
    stream = pipeline(stream, decoder, () => {}); // the reader of the last stream receives a failure
  }
  return stream;
}
