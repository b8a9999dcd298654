import { Buffer } from "node:buffer";
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
  /** Why reading stopped: the body's end, the limit of bytes, or the time. */
  readonly ending: "whole" | "size" | "time";
}

export interface BodyBounds {
  /** After decompression. */
  readonly maxBytes: number;
  /** Aborts when the time is over; what has come until then counts. */
  readonly deadline: AbortSignal;
  /** Told how many bytes came, also when reading fails: of the body, or over the wire where these are more. */
  readonly received?: ((bytes: number) => void) | undefined;
}

/** Bytes over the wire for each byte that a body may have: of framing, and of compression that compresses nothing. */
const WIRE_FACTOR = 2;
/** Beyond that, for what is read from a connection at once. */
const WIRE_SPARE = 65_536;

export const ACCEPT_ENCODING = "gzip, deflate, br, zstd";

/** Encodings stacked by a server. More than these serve no page. */
const MAX_ENCODINGS = 3;

/** The decoders' codes of what they cannot read. Source: zlib, brotli and zstd, as Node names them. */
const UNREADABLE = /^(?:Z_|ERR__|ZSTD_)/;

/** Log2 of the window a zstd stream may ask memory for. Source: RFC 9659, 8 MB. */
const ZSTD_WINDOW = 23;

/** The decoder takes what there is of a stream that ends too early, as browsers do. */
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

/** Deflate is in zlib's format, but some servers leave out its header, and browsers take both. Source: RFC 9110, 8.4.1.2. */
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
  yield* pipeline(Readable.from(whole()), decoder, () => {}); // a failure reaches the reader of the decoder
}

/** Whether the first byte names the method deflate. Source: RFC 1950, 2.2. */
function hasZlibHeader(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}

/**
 * Reads and decompresses a body chunk by chunk up to its bounds, holding no more than these. Ends the
 * connection where it stops early. Throws NetworkRefusal, or the signal's reason.
 */
export async function readBody(message: IncomingMessage, bounds: BodyBounds, signal: AbortSignal): Promise<Body> {
  const { maxBytes, deadline, received = () => {} } = bounds;
  const wire = wireOf(message, maxBytes * WIRE_FACTOR + WIRE_SPARE);
  const chunks: Buffer[] = [];
  let size = 0;
  const whole = (ending: Body["ending"]): Body => ({ bytes: Buffer.concat(chunks).subarray(0, maxBytes), ending });
  const stop = (): void => void message.destroy(new NetworkRefusal("stopped"));
  const stopped = AbortSignal.any([signal, deadline]);
  stopped.addEventListener("abort", stop, { once: true });
  if (stopped.aborted) stop();
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
      throw new NetworkRefusal("The response is not encoded as it says, and cannot be read. Do without it.", cause);
    throw new NetworkRefusal("The connection broke while the response came in. Try once more.", cause);
  } finally {
    stopped.removeEventListener("abort", stop);
    message.destroy();
    received(Math.max(size, wire.bytes()));
  }
}

/** A message's bytes until more has come over its connection than `limit`: some may be no body at all, some decompress to nothing. */
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
  if (encodings.length > MAX_ENCODINGS) throw new NetworkRefusal("The response is compressed too many times over.");
  let stream: Readable = Readable.from(chunks());
  for (const encoding of encodings.toReversed()) {
    if (encoding === "deflate") {
      stream = Readable.from(inflated(stream));
      continue;
    }
    const decoder = decoderFor(encoding);
    if (decoder === null) throw new NetworkRefusal(`The response is encoded as ${encoding}, which is unknown here.`);
    stream = pipeline(stream, decoder, () => {}); // a failure reaches the reader of the last stream
  }
  return stream;
}
