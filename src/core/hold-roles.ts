import type { Cluster } from "./cluster.ts";

type Work = (signal: AbortSignal) => Promise<void>;

/** As `Cluster.hold`, until the signal aborts: the work then ends, and the role is given up. */
export async function holdUntil(
  { hold }: Pick<Cluster, "hold">,
  { role, work }: { readonly role: string; readonly work: Work },
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const giveUp = hold(role, (held) => work(AbortSignal.any([held, signal])));
  await aborted(signal);
  await giveUp();
}

/** Resolves then. */
export function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
