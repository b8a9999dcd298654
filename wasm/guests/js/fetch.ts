import { fetch as hostFetch } from "deckhand:sandbox/http@0.1.0";
import { bytesOfLatin1, textOfBytes } from "../runtime/text-encoding.ts";

// Captured before the program can replace them.
const { parse, stringify } = JSON;

interface Init {
  readonly method?: string;
  readonly headers?: Iterable<readonly [string, string]> | Readonly<Record<string, string>>;
  readonly body?: string | null;
}

/** The host's answer (wasm/extension/tool.wit). */
interface HostResponse {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly base64?: string;
}

/** Supported fields of the standard's `init`; others are rejected, because ignoring them would go unnoticed. */
const KNOWN = new Set(["method", "headers", "body"]);

/**
 * The part of the standard's `fetch` that programs use: sends text, returns text or bytes. The host makes the requests
 * one at a time.
 */
export async function fetch(input: unknown, init: Init = {}): Promise<Response> {
  const unknown = Object.keys(init).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) throw new TypeError(`fetch accepts only method, headers and body here, not ${unknown}.`);
  const { method = "GET", headers = {}, body } = init;
  if (typeof body !== "string" && body !== undefined && body !== null) {
    throw new TypeError("The body of a request must be text here: use JSON.stringify for anything else.");
  }
  const request = {
    url: String(input),
    method: method.toUpperCase(),
    headers: Object.fromEntries(Symbol.iterator in headers ? headers : Object.entries(headers)),
    ...(typeof body === "string" ? { body } : {}),
  };
  const answer: HostResponse = parse(answerTo(stringify(request)));
  return new Response(answer);
}

/** A network error is a TypeError, as in the standard. */
function answerTo(request: string): string {
  try {
    return hostFetch(request);
  } catch (error) {
    throw new TypeError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

class Headers {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: Readonly<Record<string, string>>) {
    this.#values = new Map(Object.entries(values));
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#values.entries();
  }
}

class Response {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: Headers;
  readonly #body: Pick<HostResponse, "text" | "base64">;

  constructor({ url, status, statusText, headers, ...body }: HostResponse) {
    this.ok = status >= 200 && status < 300;
    this.status = status;
    this.statusText = statusText;
    this.url = url;
    this.headers = new Headers(headers);
    this.#body = body;
  }

  async text(): Promise<string> {
    const { text, base64 = "" } = this.#body;
    return text ?? textOfBytes(atob(base64));
  }

  async json(): Promise<unknown> {
    return parse(await this.text());
  }

  /** The bytes as received; for text, its UTF-8. */
  async bytes(): Promise<Uint8Array> {
    const { text, base64 = "" } = this.#body;
    return text === undefined ? bytesOfLatin1(atob(base64)) : new TextEncoder().encode(text);
  }
}
