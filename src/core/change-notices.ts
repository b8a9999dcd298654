import type { Cluster, ClusterTopic } from "./cluster.ts";
import type { Log } from "./protocol/log.ts";
import type { Clock } from "./protocol/runtime.ts";

/** Debounce of change notices, in milliseconds. */
const BATCH_MS = 20;

interface Changes {
  readonly cluster: Cluster;
  readonly topic: ClusterTopic;
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Log, "warn">;
}

/**
 * Calls `look` at each notice of the other processes, and every `everyMs` because notices may be lost, until the signal
 * aborts. Calls never overlap. Does nothing if no other process can join.
 */
export function followChanges(
  { cluster, topic, clock, log, everyMs, signal }: Changes & { readonly everyMs: number; readonly signal: AbortSignal },
  look: () => Promise<void>,
): void {
  if (!cluster.isShared || signal.aborted) return;
  let isLooking = false;
  let isDue = false;
  const lookNow = async (): Promise<void> => {
    isDue = true;
    if (isLooking) return;
    isLooking = true;
    while (isDue && !signal.aborted) {
      isDue = false;
      await look().catch((error: unknown) => log.warn({ err: error, topic }, "others_not_followed"));
    }
    isLooking = false;
  };
  const begin = (): void => {
    lookNow().catch((error: unknown) => log.warn({ err: error, topic }, "others_not_followed"));
  };
  let takeBack: () => void;
  const plan = (): void => {
    takeBack = clock.after(everyMs, () => {
      if (cluster.size() > 1) begin();
      plan();
    });
  };
  plan();
  const unsubscribe = cluster.subscribe(topic, begin);
  signal.addEventListener("abort", () => {
    unsubscribe();
    takeBack();
  });
}

/** Returns a debounced function that notifies the other processes of a change. */
export function createChangeNotifier({ cluster, topic, clock, log }: Changes, about = ""): () => void {
  let isDue = false;
  return () => {
    if (isDue || cluster.size() < 2) return;
    isDue = true;
    clock.after(BATCH_MS, () => {
      isDue = false;
      cluster.publish(topic, about).catch((error: unknown) => log.warn({ err: error, topic }, "others_not_told"));
    });
  };
}

/** Makes `answer` look for other processes' changes first, if other processes can join. */
export function refreshFirst<Q, A>(
  { isShared }: Pick<Cluster, "isShared">,
  look: () => Promise<void>,
  answer: (asked: Q) => Promise<A>,
): (asked: Q) => Promise<A> {
  if (!isShared) return answer;
  return async (asked) => {
    await look();
    return answer(asked);
  };
}
