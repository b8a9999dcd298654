/**
 * Seeds Math.random with 32 bits from the host, because the component has no source of randomness and instances start
 * from one snapshot. Uses mulberry32, which is small and good enough for programs without cryptography.
 */
export function seedRandom(seed: number): void {
  let state = seed | 0;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
