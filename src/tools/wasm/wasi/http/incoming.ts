import { bytesStream, type InputStream, Pollable } from "../streams.ts";
import { WasiFailure } from "../wasi-failure.ts";
import { Fields } from "./fields.ts";
import type { Tagged } from "./outgoing.ts";

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export class IncomingBody {
  readonly #bytes: Uint8Array;
  #taken = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  stream(): InputStream {
    if (this.#taken) throw new WasiFailure("taken");
    this.#taken = true;
    return bytesStream(this.#bytes);
  }

  static finish(): FutureTrailers {
    return new FutureTrailers();
  }
}

/** Always resolves to no trailers. */
export class FutureTrailers {
  #told = false;

  subscribe(): Pollable {
    return new Pollable();
  }

  get(): Tagged {
    if (this.#told) return { tag: "err" };
    this.#told = true;
    return { tag: "ok", val: { tag: "ok", val: undefined } };
  }
}

export class IncomingResponse {
  readonly #received: Received;
  #taken = false;

  constructor(received: Received) {
    this.#received = received;
  }

  status(): number {
    return this.#received.status;
  }

  headers(): Fields {
    return Fields.received(Object.entries(this.#received.headers));
  }

  consume(): IncomingBody {
    if (this.#taken) throw new WasiFailure("taken");
    this.#taken = true;
    return new IncomingBody(this.#received.body);
  }
}

/**
 * The pending response of a request: once the body is complete, `get` sends the request and returns the whole response.
 */
export class FutureIncomingResponse {
  readonly #isReady: () => boolean;
  readonly #send: () => Received;
  #told = false;

  constructor(isReady: () => boolean, send: () => Received) {
    this.#isReady = isReady;
    this.#send = send;
  }

  subscribe(): Pollable {
    return new Pollable(() => (this.#isReady() ? 0 : Infinity));
  }

  get(): Tagged | undefined {
    if (this.#told) return { tag: "err" };
    if (!this.#isReady()) return undefined;
    this.#told = true;
    try {
      return { tag: "ok", val: { tag: "ok", val: new IncomingResponse(this.#send()) } };
    } catch (error) {
      if (!(error instanceof WasiFailure)) throw error;
      return { tag: "ok", val: { tag: "err", val: error.payload } };
    }
  }
}
