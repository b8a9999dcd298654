import { Buffer } from "node:buffer";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { WasiFailure } from "../wasi-failure.ts";

/** Maximum characters of one set of headers. */
const MAX_CHARS = 32_768;

/** Headers that frame a message, which the component may not set. Source: RFC 9110, 7.6.1. */
const FORBIDDEN = /^(connection|host|http2-settings|keep-alive|proxy-.*|te|transfer-encoding|upgrade)$/;

type Entry = readonly [name: string, value: string];

/** `fields` of wasi:http: headers and trailers. Values are Latin-1, as the runtime sends them. */
export class Fields {
  #entries: readonly Entry[] = [];
  #fixed = false;

  static fromList(entries: readonly (readonly [string, Uint8Array])[]): Fields {
    const fields = new Fields();
    for (const [name, value] of entries) fields.append(name, value);
    return fields;
  }

  /** The headers of a response: unrestricted and immutable. */
  static received(entries: readonly Entry[]): Fields {
    const fields = new Fields();
    fields.#entries = entries;
    fields.#fixed = true;
    return fields;
  }

  /** Headers as an object, with names in lower case and values of the same name joined. */
  plain(): Record<string, string> {
    const joined = new Map<string, string>();
    for (const [name, value] of this.#entries) {
      const key = name.toLowerCase();
      const before = joined.get(key);
      joined.set(key, before === undefined ? value : `${before}, ${value}`);
    }
    return Object.fromEntries(joined);
  }

  /** An immutable copy. */
  asFixed(): Fields {
    return Fields.received(this.#entries);
  }

  get(name: string): Uint8Array[] {
    return this.#entries.filter(named(name)).map(([, value]) => bytesOf(value));
  }

  has(name: string): boolean {
    return this.#entries.some(named(name));
  }

  set(name: string, values: readonly Uint8Array[]): void {
    const is = named(name);
    this.#put([...this.#entries.filter((entry) => !is(entry)), ...values.map((value) => checked(name, value))]);
  }

  delete(name: string): void {
    this.set(name, []);
  }

  append(name: string, value: Uint8Array): void {
    this.#put([...this.#entries, checked(name, value)]);
  }

  entries(): [string, Uint8Array][] {
    return this.#entries.map(([name, value]) => [name, bytesOf(value)]);
  }

  clone(): Fields {
    const fields = new Fields();
    fields.#entries = this.#entries;
    return fields;
  }

  #put(entries: readonly Entry[]): void {
    if (this.#fixed) throw new WasiFailure({ tag: "immutable" });
    if (entries.flat().reduce((sum, { length }) => sum + length, 0) > MAX_CHARS) {
      throw new WasiFailure({ tag: "forbidden" });
    }
    this.#entries = entries;
  }
}

function named(name: string): (entry: Entry) => boolean {
  const wanted = name.toLowerCase();
  return ([other]) => other.toLowerCase() === wanted;
}

function checked(name: string, value: Uint8Array): Entry {
  if (FORBIDDEN.test(name.toLowerCase())) throw new WasiFailure({ tag: "forbidden" });
  const text = Buffer.from(value).toString("latin1");
  try {
    validateHeaderName(name);
    validateHeaderValue(name, text);
  } catch {
    throw new WasiFailure({ tag: "invalid-syntax" });
  }
  return [name, text];
}

function bytesOf(value: string): Uint8Array {
  return Uint8Array.from(Buffer.from(value, "latin1"));
}
