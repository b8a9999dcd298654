/** Runs tasks with the same key one after another, in the order given, and tasks with different keys concurrently. */
export class KeyedMutex {
  /** The last task of each key in use; these promises never reject. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs a task. If it fails, its caller gets the error and the next task runs regardless. */
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

  /** Resolves when all tasks given so far have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
