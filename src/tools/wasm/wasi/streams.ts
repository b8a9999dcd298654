import { type WasiError, WasiFailure } from "./wasi-failure.ts";

/**
 * `wasi:io`: classes whose instances components hold as resources. Everything is synchronous, since a worker may block.
 */

/** Bytes that a component may write at once. */
const WINDOW = 1_048_576n;

/** Maximum bytes that one read returns. */
const MAX_READ = 262_144;

/** Why a stream operation failed, as reported by `filesystem-error-code` and `http-error-code`. */
export class IoError {
  readonly payload: WasiError;

  constructor(payload: WasiError) {
    this.payload = payload;
  }

  toDebugString(): string {
    return typeof this.payload === "string" ? this.payload : this.payload.tag;
  }
}

/** Runs a stream operation; a refusal becomes the stream's error, whose code the component can query. */
function asStream<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof WasiFailure)) throw error;
    const { payload } = error;
    if (typeof payload === "object" && STREAM_ERRORS.has(payload.tag)) throw error;
    throw new WasiFailure({ tag: "last-operation-failed", val: new IoError(payload) });
  }
}

const STREAM_ERRORS: ReadonlySet<string> = new Set(["closed", "last-operation-failed"]);

/**
 * Becomes ready at a point in time, in milliseconds of `performance.now()`. Infinity means that it depends on the
 * component itself.
 */
export class Pollable {
  readonly #at: () => number;

  constructor(at: () => number = () => 0) {
    this.#at = at;
  }

  get at(): number {
    return this.#at();
  }

  ready(): boolean {
    return performance.now() >= this.at;
  }

  block(): void {
    const waitMs = this.at - performance.now();
    if (waitMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
  }
}

/** The indices of the ready pollables; if there are none, waits for the first. */
export function poll(pollables: readonly Pollable[]): Uint32Array {
  const first = pollables.toSorted((a, b) => a.at - b.at)[0];
  first?.block();
  return Uint32Array.from(pollables.flatMap((pollable, index) => (pollable.ready() ? [index] : [])));
}

/** Returns the next bytes, at most so many; null at the end. */
export type Pull = (bytes: number) => Uint8Array | null;

export class InputStream {
  readonly #pull: Pull;

  constructor(pull: Pull) {
    this.#pull = pull;
  }

  read(bytes: bigint): Uint8Array {
    const part = asStream(() => this.#pull(Math.min(Number(bytes), MAX_READ)));
    if (part === null) throw new WasiFailure({ tag: "closed" });
    return part;
  }

  blockingRead(bytes: bigint): Uint8Array {
    return this.read(bytes);
  }

  skip(bytes: bigint): bigint {
    return BigInt(this.read(bytes).length);
  }

  blockingSkip(bytes: bigint): bigint {
    return this.skip(bytes);
  }

  subscribe(): Pollable {
    return new Pollable();
  }
}

export function bytesStream(bytes: Uint8Array): InputStream {
  let at = 0;
  return new InputStream((count) => {
    if (at === bytes.length) return null;
    const part = bytes.slice(at, at + count);
    at += part.length;
    return part;
  });
}

/** Takes bytes; false if no more fit. */
export type Push = (bytes: Uint8Array) => boolean;

export class OutputStream {
  readonly #push: Push;

  constructor(push: Push) {
    this.#push = push;
  }

  checkWrite(): bigint {
    return WINDOW;
  }

  write(bytes: Uint8Array): void {
    if (!asStream(() => this.#push(bytes))) throw new WasiFailure({ tag: "closed" });
  }

  blockingWriteAndFlush(bytes: Uint8Array): void {
    this.write(bytes);
  }

  flush(): void {}

  blockingFlush(): void {}

  writeZeroes(bytes: bigint): void {
    if (bytes > WINDOW) throw new WasiFailure({ tag: "closed" });
    this.write(new Uint8Array(Number(bytes)));
  }

  blockingWriteZeroesAndFlush(bytes: bigint): void {
    this.writeZeroes(bytes);
  }

  splice(source: InputStream, bytes: bigint): bigint {
    const part = source.read(bytes);
    this.write(part);
    return BigInt(part.length);
  }

  blockingSplice(source: InputStream, bytes: bigint): bigint {
    return this.splice(source, bytes);
  }

  subscribe(): Pollable {
    return new Pollable();
  }
}
