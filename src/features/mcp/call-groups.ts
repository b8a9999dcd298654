interface WaitingCall {
  readonly key: string;
  readonly queued: (before: number) => void;
  readonly enter: () => void;
}

/**
 * Runs the calls of one group together while calls of other groups wait, in order of arrival. Needed for servers that
 * ask back, since they do not say which call they ask for.
 */
export class CallGroups {
  #key = "";
  #running = 0;
  #waiting: WaitingCall[] = [];

  /** Resolves when it is the call's turn, with a function that ends the turn. Throws the signal's reason. */
  async enter(key: string, signal: AbortSignal, queued: (before: number) => void): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#waiting.length > 0 || (this.#running > 0 && this.#key !== key)) await this.#wait(key, signal, queued);
    else this.#begin(key);
    return () => {
      this.#running -= 1;
      this.#next();
    };
  }

  #begin(key: string): void {
    this.#key = key;
    this.#running += 1;
  }

  #wait(key: string, signal: AbortSignal, queued: (before: number) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((one) => one !== entry);
        reject(signal.reason);
        this.#next();
      };
      const enter = () => {
        signal.removeEventListener("abort", leave);
        this.#begin(key);
        resolve();
      };
      const entry: WaitingCall = { key, queued, enter };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(entry);
      queued(this.#running + this.#waiting.length - 1);
    });
  }

  #next(): void {
    let first = this.#waiting[0];
    while (first !== undefined && (this.#running === 0 || this.#key === first.key)) {
      this.#waiting.shift();
      first.enter();
      first = this.#waiting[0];
    }
    for (const [index, { queued }] of this.#waiting.entries()) queued(this.#running + index);
  }
}
