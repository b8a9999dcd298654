/** Waits for work, or rejects with the signal's reason. */
export async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
