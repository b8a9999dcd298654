import type { Claim, DeliveryResult } from "../engine/engine.ts";
import { resumesRun, type SessionEvent, startsRun } from "../events/session-event.ts";
import { isDatabaseUnavailable } from "../protocol/database-failure.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Applicant } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";

export interface NewEvent {
  readonly sessionId: string;
  readonly event: SessionEvent;
  readonly dueAt?: number;
  readonly claim?: Claim | undefined;
}

export interface StoredDelivery {
  readonly delivered: DeliveryResult;
  /** The session opened by the claim; null if it opened none. */
  readonly opened: Applicant | null;
}

/** Stores an event once per key, in one transaction with its claim. */
export async function storeEvent(
  { sessionId, event, dueAt, claim }: NewEvent,
  { store, runtime }: { readonly store: Store; readonly runtime: Pick<Runtime, "clock"> },
): Promise<StoredDelivery> {
  const at = runtime.clock.now();
  try {
    return await store.transaction(async (tx) => {
      const claimed = (await claim?.(tx)) ?? true;
      if (claimed === false) {
        return { delivered: (await tx.inbox.has(event.key)) ? "duplicate" : "refused", opened: null };
      }
      const [wakes, resumes] = [startsRun(event), resumesRun(event)];
      await tx.inbox.insert({ sessionId, event, wakes, resumes, dueAt, at });
      return { delivered: "new", opened: claimed === true ? null : claimed };
    });
  } catch (error) {
    // The key's unique index rejects a repeated event and rolls this transaction back.
    const stored = await store.inbox.byKey(event.key);
    if (stored === null) throw error;
    // Alternatively, the transaction was committed and the connection broke before the reply.
    const isOurs = isDatabaseUnavailable(error) && stored.sessionId === sessionId;
    return { delivered: isOurs ? "new" : "duplicate", opened: null };
  }
}
