import { addAbortListener } from "node:events";

/** Waits for the work, or rejects with the signal's reason once it aborts. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  using _ = addAbortListener(signal, () => reject(signal.reason));
  return await Promise.race([work, promise]);
}
