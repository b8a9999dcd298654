import type { Cluster } from "./cluster.ts";

type Work = (signal: AbortSignal) => Promise<void>;

/** Holds a role as `Cluster.hold` does until the signal aborts, then ends the work and releases the role. */
export async function holdUntil(
  { hold }: Pick<Cluster, "hold">,
  { role, work }: { readonly role: string; readonly work: Work },
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const giveUp = hold(role, (held) => work(AbortSignal.any([held, signal])));
  await whenAborted(signal);
  await giveUp();
}

export function whenAborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
