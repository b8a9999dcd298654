/** Random numbers that a seed repeats. */
export class Random {
  #seed = 0;
  #next: () => number = Math.random;

  next(): number {
    return this.#next();
  }

  /** Seeds the numbers; returns the seed before, as `srand` does. */
  seed(wanted = Math.floor(Date.now() / 1000)): number {
    const before = this.#seed;
    this.#seed = wanted;
    let at = wanted | 0;
    this.#next = () => {
      at = (at + 0x6d2b79f5) | 0;
      let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
    return before;
  }
}
