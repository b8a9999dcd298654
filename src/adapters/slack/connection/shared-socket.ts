import type { Cluster } from "../../../core/cluster.ts";
import { whenAborted } from "../../../core/hold-roles.ts";
import type { PlatformHealth } from "../../../core/platform/chat-platform.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { SOCKETS } from "../limits.ts";
import type { SlackTransport, TakePayload } from "./transport.ts";

interface SocketSharing {
  readonly socket: SlackTransport;
  readonly cluster: Pick<Cluster, "hold">;
  readonly clock: Pick<Clock, "after">;
}

/** Time within which a free place for a socket is obtained. In milliseconds. */
const PLACE_WITHIN_MS = 1_000;

const PLACES = Array.from({ length: SOCKETS }, (_none, index) => `slack:socket:${index + 1}`);

/**
 * A socket for this process, if one of the places shared by all processes on the database is free. Slack limits the
 * sockets of an app; processes without one only post.
 */
export class SharedSocket implements SlackTransport {
  readonly #options: SocketSharing;
  #hasPlace = false;
  #giveUp: () => Promise<void> = () => Promise.resolve();

  constructor(options: SocketSharing) {
    this.#options = options;
  }

  async open(take: TakePayload, signal: AbortSignal): Promise<void> {
    const { socket, cluster, clock } = this.#options;
    const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
    this.#giveUp = cluster.hold(PLACES, async (held) => {
      this.#hasPlace = true;
      try {
        await socket.open(take, AbortSignal.any([held, signal]));
        resolve();
        await whenAborted(held);
      } catch (error) {
        reject(error);
        throw error;
      } finally {
        this.#hasPlace = false;
        await socket.close();
      }
    });
    const cancel = clock.after(PLACE_WITHIN_MS, () => {
      if (!this.#hasPlace) resolve();
    });
    try {
      await opened;
      signal.throwIfAborted();
    } finally {
      cancel();
    }
  }

  close(): Promise<void> {
    return this.#giveUp();
  }

  health(): PlatformHealth {
    if (this.#hasPlace) return this.#options.socket.health();
    const detail = "posts only: other processes have all the sockets that Slack allows";
    return { connected: true, detail, receivingSince: null };
  }
}
