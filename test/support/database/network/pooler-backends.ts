import { connect, type Socket } from "node:net";
import { message, startup, typeOf, wholeMessages } from "./pooler-wire.ts";

/** The user of a server connection. */
export interface BackendUser {
  /** Receives a message from the server. */
  readonly hear: (whole: Buffer) => void;
  /** Called when the server has closed the connection. */
  readonly lose: () => void;
}

export interface BackendPlace {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** Thrown if the server rejects the pooler; its message is passed to the client unchanged. */
export class NotLetIn extends Error {
  readonly said: Buffer;
  constructor(said: Buffer) {
    super("the server does not let the pooler in");
    this.said = said;
  }
}

/** One connection to the server. */
export class Backend {
  readonly #socket: Socket;
  readonly #opened = Promise.withResolvers<void>();
  /** Parameters that the server reports when a connection begins. */
  readonly parameters: Buffer[] = [];
  #isOpen = false;
  /** Null while the connection carries no transaction. */
  user: BackendUser | null = null;

  private constructor(place: BackendPlace) {
    this.#socket = connect({ ...place, noDelay: true });
    this.#socket.on("connect", () => this.write(startup({ user: place.user, database: place.database })));
    this.#socket.on(
      "data",
      wholeMessages(
        () => true,
        (whole) => this.#take(whole),
      ),
    );
    this.#socket.on("error", (error) => this.#opened.reject(error));
    this.#socket.on("close", () => {
      this.#opened.reject(new NotLetIn(message("E", "SFATAL\0C08006\0Mthe server is gone\0\0")));
      this.user?.lose();
    });
  }

  static async open(place: BackendPlace): Promise<Backend> {
    const backend = new Backend(place);
    await backend.#opened.promise;
    return backend;
  }

  onClose(then: () => void): void {
    if (this.#socket.destroyed) then();
    else this.#socket.once("close", then);
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  destroy(): void {
    this.user = null;
    this.#socket.destroy();
  }

  #take(whole: Buffer): void {
    // Messages that arrive between users, such as notifications, are dropped.
    if (this.#isOpen) return this.user?.hear(whole);
    const type = typeOf(whole);
    if (type === "S") this.parameters.push(whole);
    else if (type === "E") this.#opened.reject(new NotLetIn(whole));
    else if (type === "Z") {
      this.#isOpen = true;
      this.#opened.resolve();
    }
  }
}

/** The server connections of one user and database. */
export class Backends {
  readonly #place: BackendPlace;
  readonly #size: number;
  readonly all = new Set<Backend>();
  /** Ordered by idle time, the longest first. */
  readonly #idle: Backend[] = [];
  readonly #waiting: PromiseWithResolvers<Backend>[] = [];
  #opening = 0;

  constructor(place: BackendPlace, size: number) {
    this.#place = place;
    this.#size = size;
  }

  /** Takes a connection, preferably not `last`. Stops waiting if the signal aborts. */
  async take(last: Backend | null, signal: AbortSignal): Promise<Backend> {
    const other = this.#idle.find((backend) => backend !== last);
    if (other !== undefined) return this.#unidle(other);
    if (this.all.size + this.#opening < this.#size) return this.#open();
    const [same] = this.#idle;
    if (same !== undefined) return this.#unidle(same);
    const turn = Promise.withResolvers<Backend>();
    this.#waiting.push(turn);
    signal.addEventListener("abort", () => this.#giveUp(turn, signal.reason), { once: true });
    return turn.promise;
  }

  giveBack(backend: Backend): void {
    backend.user = null;
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(backend);
    else next.resolve(backend);
  }

  #unidle(backend: Backend): Backend {
    this.#idle.splice(this.#idle.indexOf(backend), 1);
    return backend;
  }

  #giveUp(turn: PromiseWithResolvers<Backend>, reason: unknown): void {
    const index = this.#waiting.indexOf(turn);
    if (index >= 0) this.#waiting.splice(index, 1);
    turn.reject(reason);
  }

  async #open(): Promise<Backend> {
    this.#opening += 1;
    try {
      const backend = await Backend.open(this.#place);
      this.all.add(backend);
      backend.onClose(() => this.#forget(backend));
      return backend;
    } finally {
      this.#opening -= 1;
    }
  }

  #forget(backend: Backend): void {
    this.all.delete(backend);
    if (this.#idle.includes(backend)) this.#unidle(backend);
    // A client that waits for a connection gets a new one.
    const next = this.#waiting.shift();
    if (next !== undefined) this.#open().then(next.resolve, next.reject);
  }
}
