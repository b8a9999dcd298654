interface State {
  random?: () => number;
  seed?: number;
}

/** Seeds the random numbers so that the same seed repeats them; returns the previous seed, as `srand` does. */
export function seedRandom(state: State, wanted = Math.floor(Date.now() / 1000)): number {
  const before = state.seed ?? 0;
  state.seed = wanted;
  let at = wanted | 0;
  state.random = () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return before;
}
