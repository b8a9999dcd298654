import { Buffer } from "node:buffer";
import { OutputStream } from "../streams.ts";
import { WasiFailure } from "../wasi-failure.ts";
import { Fields } from "./fields.ts";

/** Bytes of one body: in base64 it fits a request to the bot (`MAX_GUEST_REQUEST`) beside URL and headers. */
const MAX_BODY = 737_280;

/** A variant of WASI. */
export interface Tagged {
  readonly tag: string;
  readonly val?: unknown;
}

/** Bytes that the bodies of one instance may hold together; they live outside of its own memory. */
export interface BodyRoom {
  left: number;
}

export class OutgoingBody {
  readonly #room: BodyRoom;
  readonly #parts: Buffer[] = [];
  #size = 0;
  #state: "open" | "whole" | "broken" = "open";
  #written = false;

  constructor(room: BodyRoom) {
    this.#room = room;
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

  /** Let go of without being finished: what it belongs to is not to be sent. */
  [Symbol.dispose](): void {
    if (this.#state === "open") this.#state = "broken";
  }

  #add(bytes: Uint8Array): boolean {
    if (this.#state !== "open") return false;
    this.#size += bytes.length;
    this.#room.left -= bytes.length;
    if (this.#size > MAX_BODY || this.#room.left < 0) {
      this.#state = "broken";
      throw new WasiFailure({ tag: "HTTP-request-body-size", val: BigInt(this.#size) });
    }
    this.#parts.push(Buffer.from(bytes));
    return true;
  }
}

/** The classes that components construct get nothing but what WASI says: the room of bodies comes by a subclass. */
export class OutgoingRequest {
  readonly #headers: Fields;
  protected readonly room: BodyRoom = { left: MAX_BODY };
  #method: Tagged = { tag: "get" };
  #scheme: Tagged | undefined;
  #authority: string | undefined;
  #path: string | undefined;
  #body: OutgoingBody | null = null;

  constructor(headers: Fields) {
    this.#headers = headers;
  }

  /** Null for a request whose body nobody asked for. */
  get sentBody(): OutgoingBody | null {
    return this.#body;
  }

  body(): OutgoingBody {
    if (this.#body !== null) throw new WasiFailure("taken");
    this.#body = new OutgoingBody(this.room);
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

/** Times in nanoseconds. */
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

  /** A body is read as a whole before the component sees it: the bot's own limit of time holds for it. */
  betweenBytesTimeout(): bigint | undefined {
    return this.#betweenBytes;
  }

  setBetweenBytesTimeout(duration: bigint | undefined): void {
    this.#betweenBytes = duration;
  }
}
