/** Until when a process certainly has its files to itself, for all threads: milliseconds of the machine's clock that never jumps. */
export type Fence = BigInt64Array<SharedArrayBuffer>;

/** It lets nobody pass until it is moved. */
export function createFence(): Fence {
  return new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
}

/** The same in all processes of the machine. Milliseconds. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export function moveFence(fence: Fence, untilMs: number): void {
  Atomics.store(fence, 0, BigInt(Math.floor(untilMs)));
  Atomics.notify(fence, 0);
}

/** Sleeps for as long as it is not certain. Who ends the call ends the sleeping thread. */
export function passFence(fence: Fence): void {
  for (;;) {
    const until = Atomics.load(fence, 0);
    if (monotonicMs() < until) return;
    Atomics.wait(fence, 0, until);
  }
}
