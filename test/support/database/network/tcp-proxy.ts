import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A faulty network between a program and a server. Settings apply to existing connections too. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** The same address through the proxy. */
  urlOf(url: string): string;
  /** Additional round-trip time, half of it in each direction, in whole milliseconds. */
  delayMs: number;
  /** Number of open connections. */
  connections(): number;
  /** Breaks each connection, which both ends notice at once. */
  cut(): void;
  /** Stops all traffic, including the news of closed ends; connections can still be opened and stay open. */
  freeze(): void;
  /** Resumes traffic, and delivers what was held back. */
  thaw(): void;
  /** Stops traffic on existing connections permanently; new ones work normally. */
  swallow(): void;
  /** Breaks new connections at once, as if no server were listening. */
  refuse(): void;
  accept(): void;
}

/** Listens on a free port of loopback for traffic to a URL's server. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const network = new Network();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    if (network.isRefusing) near.resetAndDestroy();
    else network.join(near, connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server of TCP that listens has a port
  const own = (server.address() as AddressInfo).port;
  return {
    port: own,
    urlOf: (url) => withPort(url, own),
    get delayMs() {
      return network.delayMs;
    },
    set delayMs(ms) {
      network.delayMs = ms;
    },
    connections: () => network.sockets.size / 2,
    cut: () => network.cut(),
    freeze: () => network.freeze(),
    thaw: () => network.thaw(),
    swallow: () => network.swallow(),
    refuse: () => {
      network.isRefusing = true;
    },
    accept: () => {
      network.isRefusing = false;
    },
    async [Symbol.asyncDispose]() {
      network.thaw();
      network.cut();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.hostname = "127.0.0.1";
  changed.port = String(port);
  return changed.href;
}

class Network {
  readonly sockets = new Set<Socket>();
  readonly #dead = new Set<Socket>();
  delayMs = 0;
  isRefusing = false;
  #frozen: PromiseWithResolvers<void> | null = null;

  join(near: Socket, far: Socket): void {
    this.#pass(near, far, () => Math.floor(this.delayMs / 2));
    this.#pass(far, near, () => Math.ceil(this.delayMs / 2));
  }

  cut(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  freeze(): void {
    this.#frozen ??= Promise.withResolvers();
    for (const socket of this.sockets) socket.pause();
  }

  thaw(): void {
    this.#frozen?.resolve();
    this.#frozen = null;
    for (const socket of this.sockets) if (!this.#dead.has(socket)) socket.resume();
  }

  swallow(): void {
    for (const socket of this.sockets) {
      this.#dead.add(socket);
      socket.pause();
    }
  }

  /** Forwards what one end sends, in order, and that it has ended or is gone. */
  #pass(from: Socket, to: Socket, delayMs: () => number): void {
    this.sockets.add(from);
    let last = Promise.resolve();
    const carry = (what: () => void) => {
      const dueAt = performance.now() + delayMs();
      last = last.then(() => this.#arrival(dueAt)).then(what);
    };
    if (this.#frozen !== null) from.pause();
    from.on("data", (bytes) => {
      carry(() => {
        if (to.destroyed || to.write(bytes)) return;
        from.pause();
        to.once("drain", () => this.#frozen ?? (this.#dead.has(from) || from.resume()));
      });
    });
    from.on("end", () => carry(() => to.end()));
    from.on("error", () => carry(() => to.resetAndDestroy()));
    from.on("close", () => {
      this.sockets.delete(from);
      carry(() => to.destroy());
    });
  }

  async #arrival(dueAt: number): Promise<void> {
    const leftMs = dueAt - performance.now();
    if (leftMs > 0) await delay(leftMs);
    while (this.#frozen !== null) await this.#frozen.promise;
  }
}
