/** What pdf.js needs of a web browser: streams between its two halves, copies of messages, and addresses. */

type Source<T> = {
  start?: (stream: MessageStream<T>) => unknown;
  pull?: (stream: MessageStream<T>) => unknown;
  cancel?: (reason: unknown) => unknown;
};

/** The part of ReadableStream that pdf.js uses: the stream is its own controller and its only reader. */
class MessageStream<T> {
  readonly desiredSize = 1;
  readonly #source: Source<T>;
  readonly #chunks: T[] = [];
  #waiting: PromiseWithResolvers<IteratorResult<T, undefined>> | null = null;
  #end: { readonly error?: unknown } | null = null;

  constructor(source: Source<T> = {}) {
    this.#source = source;
    source.start?.(this);
  }

  getReader(): this {
    return this;
  }

  releaseLock(): void {}

  enqueue(chunk: T): void {
    this.#chunks.push(chunk);
    this.#answer();
  }

  close(): void {
    this.#end ??= {};
    this.#answer();
  }

  error(error: unknown): void {
    this.#end ??= { error };
    this.#answer();
  }

  read(): Promise<IteratorResult<T, undefined>> {
    const waiting = Promise.withResolvers<IteratorResult<T, undefined>>();
    this.#waiting = waiting;
    this.#answer();
    if (this.#waiting !== null) this.#source.pull?.(this);
    return waiting.promise;
  }

  cancel(reason?: unknown): Promise<void> {
    this.#source.cancel?.(reason);
    this.close();
    return Promise.resolve();
  }

  #answer(): void {
    const waiting = this.#waiting;
    if (waiting === null || (this.#chunks.length === 0 && this.#end === null)) return;
    this.#waiting = null;
    const [value] = this.#chunks.splice(0, 1);
    if (value !== undefined) waiting.resolve({ value, done: false });
    else if (this.#end !== null && "error" in this.#end) waiting.reject(this.#end.error);
    else waiting.resolve({ value: undefined, done: true });
  }
}

/** A copy of plain values; what pdf.js never changes after sending it is shared. */
function structuredClone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredClone);
  if (value instanceof Map) return new Map(Array.from(value, ([key, held]) => [key, structuredClone(held)]));
  if (value instanceof Set) return new Set(Array.from(value, structuredClone));
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, structuredClone(held)]));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Addresses of links, which are not shown: none is valid. */
function URL(): never {
  throw new TypeError("Invalid URL");
}
Object.assign(URL, { parse: () => null, canParse: () => false });

/** What pdf.js has written to the console: what it could not read. */
export const warnings: string[] = [];

const console = { warn: (text: string) => warnings.push(text), log: (text: string) => warnings.push(text) };

Object.assign(globalThis, { ReadableStream: MessageStream, structuredClone, URL, console });
