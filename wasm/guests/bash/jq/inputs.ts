import { Reader } from "./json.ts";
import { streamed } from "./streams.ts";
import type { Json } from "./values.ts";

export interface Source {
  /** Null for standard input. */
  readonly name: string | null;
  readonly text: string;
}

/** The inputs of a program, read one value at a time. */
export class Inputs {
  readonly #values: Generator<Json>;
  /** True once an input could not be read. */
  failed = false;
  fileName: string | null = null;
  /** Counts the lines read so far; computed on demand. */
  #lines: () => number = () => 0;

  constructor(sources: readonly Source[], flags: ReadonlySet<string>) {
    const values = flags.has("R") ? this.#rawLines(sources, flags.has("s")) : this.#parsed(sources);
    const events = flags.has("stream") ? streams(values) : values;
    this.#values = flags.has("s") && !flags.has("R") ? slurped(events) : events;
  }

  get lines(): number {
    return this.#lines();
  }

  next(): Json | undefined {
    try {
      const { value, done } = this.#values.next();
      return done === true ? undefined : value;
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }

  *#parsed(sources: readonly Source[]): Generator<Json> {
    for (const { name, text } of sources) {
      const reader = new Reader(text);
      this.fileName = name;
      this.#lines = () => reader.lines;
      while (!reader.isAtEnd()) yield reader.value();
    }
  }

  *#rawLines(sources: readonly Source[], whole: boolean): Generator<Json> {
    this.fileName = sources[0]?.name ?? null;
    const text = sources.map((source) => source.text).join("");
    if (whole) {
      yield text;
      return;
    }
    const lines = text.split("\n");
    const last = lines.pop();
    let read = 0;
    this.#lines = () => read;
    for (const line of lines) {
      read++;
      yield line;
    }
    if (last !== undefined && last !== "") yield last;
  }
}

function* streams(values: Iterable<Json>): Generator<Json> {
  for (const value of values) yield* streamed(value);
}

function* slurped(values: Iterable<Json>): Generator<Json> {
  yield [...values];
}
