/**
 * The component has no clock and no source of randomness. Programs get the time at which they began,
 * and a generator seeded by the host.
 */

export function installClock(now: number): void {
  const Native = Date;
  function At(this: unknown, ...args: unknown[]): Date | string {
    if (new.target === undefined) return new Native(now).toString();
    return Reflect.construct(Native, args.length === 0 ? [now] : args, new.target);
  }
  At.prototype = Native.prototype;
  Object.assign(At, { now: () => now, parse: Native.parse, UTC: Native.UTC });
  Object.defineProperty(Native.prototype, "constructor", { value: At, configurable: true, writable: true });
  Object.defineProperty(globalThis, "Date", { value: At, configurable: true, writable: true });
  Object.defineProperty(globalThis, "performance", { value: { now: () => 0 }, configurable: true, writable: true });
}

/** mulberry32: small, and good enough for programs that are no cryptography. */
export function installRandom(seed: number): void {
  let state = seed | 0;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
