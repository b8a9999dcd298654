/**
 * Who may run now: at most `limit` sessions at once, and when they queue, channels take turns, so that
 * a busy channel cannot keep a quiet one waiting.
 */
export class Admission {
  readonly #limit: number;
  readonly #channels = new Map<string, string[]>();
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Queues a session that does not wait yet. */
  enqueue(sessionId: string, channelKey: string): void {
    const queue = this.#channels.get(channelKey) ?? [];
    queue.push(sessionId);
    this.#waiting.add(sessionId);
    this.#channels.set(channelKey, queue);
  }

  isWaiting(sessionId: string): boolean {
    return this.#waiting.has(sessionId);
  }

  /** True when whoever comes now must wait. */
  get isFull(): boolean {
    return this.#running.size + this.#channels.size >= this.#limit;
  }

  /** The next session to run, or undefined when none waits or no place is free. */
  next(): string | undefined {
    if (this.#running.size >= this.#limit) return undefined;
    for (const [channelKey, queue] of this.#channels) {
      const index = queue.findIndex((sessionId) => !this.#running.has(sessionId));
      const [sessionId] = index === -1 ? [] : queue.splice(index, 1);
      if (sessionId === undefined) continue;
      this.#channels.delete(channelKey);
      if (queue.length > 0) this.#channels.set(channelKey, queue);
      this.#begin(sessionId);
      return sessionId;
    }
    return undefined;
  }

  /** Lets a waiting session run at once, beyond the limit; false when it does not wait. */
  promote(sessionId: string): boolean {
    for (const [channelKey, queue] of this.#channels) {
      const index = queue.indexOf(sessionId);
      if (index === -1) continue;
      queue.splice(index, 1);
      if (queue.length === 0) this.#channels.delete(channelKey);
      this.#begin(sessionId);
      return true;
    }
    return false;
  }

  leave(sessionId: string): void {
    this.#running.delete(sessionId);
  }

  /** Those that wait, in the order they will run, if nothing else comes. */
  waiting(): string[] {
    const order: string[] = [];
    let queues = [...this.#channels.values()];
    for (let round = 0; queues.length > 0; round += 1) {
      for (const queue of queues) order.push(...queue.slice(round, round + 1));
      queues = queues.filter(({ length }) => length > round + 1);
    }
    return order;
  }

  #begin(sessionId: string): void {
    this.#waiting.delete(sessionId);
    this.#running.add(sessionId);
  }
}
