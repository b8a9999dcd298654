import { Buffer } from "node:buffer";
import { OutputStream } from "../streams.ts";
import { WasiFailure } from "../wasi-failure.ts";
import { Fields } from "./fields.ts";

/** Maximum bytes of one body: in base64 it fits a request to the bot (`MAX_GUEST_REQUEST`) beside URL and headers. */
const MAX_BODY = 737_280;

/** A WASI variant. */
export interface Tagged {
  readonly tag: string;
  readonly val?: unknown;
}

/** Bytes that the bodies of one instance may still take together, outside its own memory. */
export interface BodyBudget {
  left: number;
}

export class OutgoingBody {
  readonly #budget: BodyBudget;
  readonly #parts: Buffer[] = [];
  #size = 0;
  #state: "open" | "whole" | "broken" = "open";
  #written = false;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  get state(): "open" | "whole" | "broken" {
    return this.#state;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  write(): OutputStream {
    if (this.#written) throw new WasiFailure("taken");
    this.#written = true;
    return new OutputStream((bytes) => this.#add(bytes));
  }

  static finish(body: OutgoingBody, trailers: Fields | undefined): void {
    body.#state = trailers === undefined ? "whole" : "broken";
    if (trailers !== undefined) throw new WasiFailure({ tag: "HTTP-request-trailer-section-size", val: 0 });
  }

  /** A body that is dropped unfinished must not be sent. */
  [Symbol.dispose](): void {
    if (this.#state === "open") this.#state = "broken";
  }

  #add(bytes: Uint8Array): boolean {
    if (this.#state !== "open") return false;
    this.#size += bytes.length;
    this.#budget.left -= bytes.length;
    if (this.#size > MAX_BODY || this.#budget.left < 0) {
      this.#state = "broken";
      throw new WasiFailure({ tag: "HTTP-request-body-size", val: BigInt(this.#size) });
    }
    this.#parts.push(Buffer.from(bytes));
    return true;
  }
}

/** Components construct these classes with only WASI's arguments, so a subclass supplies the budget for bodies. */
export class OutgoingRequest {
  readonly #headers: Fields;
  protected readonly budget: BodyBudget = { left: MAX_BODY };
  #method: Tagged = { tag: "get" };
  #scheme: Tagged | undefined;
  #authority: string | undefined;
  #path: string | undefined;
  #body: OutgoingBody | null = null;

  constructor(headers: Fields) {
    this.#headers = headers;
  }

  /** Null if the component never asked for the request's body. */
  get sentBody(): OutgoingBody | null {
    return this.#body;
  }

  body(): OutgoingBody {
    if (this.#body !== null) throw new WasiFailure("taken");
    this.#body = new OutgoingBody(this.budget);
    return this.#body;
  }

  method(): Tagged {
    return this.#method;
  }

  setMethod(method: Tagged): void {
    this.#method = method;
  }

  pathWithQuery(): string | undefined {
    return this.#path;
  }

  setPathWithQuery(path: string | undefined): void {
    this.#path = path;
  }

  scheme(): Tagged | undefined {
    return this.#scheme;
  }

  setScheme(scheme: Tagged | undefined): void {
    this.#scheme = scheme;
  }

  authority(): string | undefined {
    return this.#authority;
  }

  setAuthority(authority: string | undefined): void {
    this.#authority = authority;
  }

  headers(): Fields {
    return this.#headers.asFixed();
  }
}

/** Timeouts in nanoseconds. */
export class RequestOptions {
  #connect: bigint | undefined;
  #firstByte: bigint | undefined;
  #betweenBytes: bigint | undefined;

  connectTimeout(): bigint | undefined {
    return this.#connect;
  }

  setConnectTimeout(duration: bigint | undefined): void {
    this.#connect = duration;
  }

  firstByteTimeout(): bigint | undefined {
    return this.#firstByte;
  }

  setFirstByteTimeout(duration: bigint | undefined): void {
    this.#firstByte = duration;
  }

  /** Has no effect: a body is read completely before the component sees it, within the bot's own time limit. */
  betweenBytesTimeout(): bigint | undefined {
    return this.#betweenBytes;
  }

  setBetweenBytesTimeout(duration: bigint | undefined): void {
    this.#betweenBytes = duration;
  }
}
