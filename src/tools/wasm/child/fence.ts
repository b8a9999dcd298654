/**
 * Until when the process certainly has its files to itself, shared by all threads: milliseconds of the monotonic clock.
 */
export type Fence = BigInt64Array<SharedArrayBuffer>;

/** Creates a fence that is closed until it is moved. */
export function createFence(): Fence {
  return new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
}

/** Milliseconds of the monotonic clock, which is the same in all processes of the machine. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export function moveFence(fence: Fence, untilMs: number): void {
  Atomics.store(fence, 0, BigInt(Math.floor(untilMs)));
  Atomics.notify(fence, 0);
}

/** Sleeps while exclusive access to the files is not certain. Ending the call ends the sleeping thread. */
export function passFence(fence: Fence): void {
  for (;;) {
    const until = Atomics.load(fence, 0);
    if (monotonicMs() < until) return;
    Atomics.wait(fence, 0, until);
  }
}
