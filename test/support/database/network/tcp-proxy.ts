import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A network between a program and a server, with its faults. What is set holds for connections that stand, too. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** The same address by way of the proxy. */
  urlOf(url: string): string;
  /** How much longer a round trip takes, half of it each way. Whole milliseconds. */
  delayMs: number;
  /** How many connections stand. */
  connections(): number;
  /** Both ends of each connection learn at once that it is no more. */
  cut(): void;
  /** Nothing passes any more, neither bytes nor the news that an end is gone; connections can be made and stand. */
  freeze(): void;
  /** What was held back passes. */
  thaw(): void;
  /** Nothing passes any more on connections that stand, for ever; those that are made are as they should be. */
  swallow(): void;
  /** Connections that are made are broken at once, as where no server listens. */
  refuse(): void;
  accept(): void;
}

/** Listens on a free port of loopback for what is meant for the server of a URL. */
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

  /** Carries what one end sends, in its order, and that it has ended or is gone. */
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
