/** Runs tasks of one key one after the other, in the order given; tasks of different keys side by side. */
export class KeyedMutex {
  /** What each key that is in use ends with; never rejects. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** A task that fails does not stop the next; its failure is the caller's. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(task);
    const settled = mine.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }

  /** Resolves when all that has been given so far is done. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
