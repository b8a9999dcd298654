import { unlessAborted } from "../../core/unless-aborted.ts";

export interface QueueLimits {
  readonly perSession: number;
  readonly perChannel: number;
  readonly inAll: number;
}

/** Who calls, and how to notify them that they are waiting. */
export interface Caller {
  readonly sessionId: string;
  readonly channelKey: string;
  readonly signal: AbortSignal;
  /** Called if the call cannot begin yet, and again whenever fewer calls are ahead of it. */
  readonly queued: (before: number) => void;
}

interface Entry extends Caller {
  running: boolean;
  reported: number;
  readonly begin: () => void;
}

/**
 * Admits calls in order of arrival, as far as the limits allow. A call held up by its own session or channel does not
 * hold up others.
 */
export class CallQueue {
  readonly #limits: QueueLimits;
  /** Running and waiting calls in order of arrival. */
  #entries: Entry[] = [];

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Resolves when the call may begin, to the function that ends it; rejects if the signal aborts first. */
  async enter(caller: Caller): Promise<() => void> {
    caller.signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<void>();
    const entry: Entry = { ...caller, running: false, reported: 0, begin: resolve };
    this.#entries.push(entry);
    try {
      this.#admit();
      await unlessAborted(promise, caller.signal);
      caller.signal.throwIfAborted();
    } catch (error) {
      this.#remove(entry);
      throw error;
    }
    return () => this.#remove(entry);
  }

  #remove(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.#admit();
  }

  #admit(): void {
    for (const entry of this.#entries) {
      if (entry.running || !this.#hasRoom(entry)) continue;
      entry.running = true;
      entry.begin();
    }
    for (const entry of this.#entries) if (!entry.running) this.#tell(entry);
  }

  #hasRoom({ sessionId, channelKey }: Entry): boolean {
    const running = this.#entries.filter((entry) => entry.running);
    const inChannel = running.filter((entry) => entry.channelKey === channelKey);
    const inSession = running.filter((entry) => entry.sessionId === sessionId);
    const { perSession, perChannel, inAll } = this.#limits;
    return inSession.length < perSession && inChannel.length < perChannel && running.length < inAll;
  }

  /** Reports the number of earlier unfinished calls: those of the same channel, or all if its channel has none. */
  #tell(entry: Entry): void {
    const earlier = this.#entries.slice(0, this.#entries.indexOf(entry));
    const ofChannel = earlier.filter(({ channelKey }) => channelKey === entry.channelKey);
    const before = ofChannel.length > 0 ? ofChannel.length : earlier.length;
    if (before === entry.reported) return;
    entry.reported = before;
    entry.queued(before);
  }
}
