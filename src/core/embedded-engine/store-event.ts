import type { Claim, Delivered } from "../engine/engine.ts";
import { resumesRun, type SessionEvent, startsRun } from "../events/session-event.ts";
import { isDatabaseAway } from "../protocol/database-failure.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Applicant } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";

export interface NewEvent {
  readonly sessionId: string;
  readonly event: SessionEvent;
  readonly dueAt?: number;
  readonly claim?: Claim | undefined;
}

export interface Stored {
  readonly delivered: Delivered;
  /** The session that the claim has opened. */
  readonly opened: Applicant | null;
}

/** Once for each key, in one transaction with its claim. */
export async function storeEvent(
  { sessionId, event, dueAt, claim }: NewEvent,
  { store, runtime }: { readonly store: Store; readonly runtime: Pick<Runtime, "clock"> },
): Promise<Stored> {
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
    // The unique index decides: of an event that has come before, nothing of this transaction stays.
    const stored = await store.inbox.byKey(event.key);
    if (stored === null) throw error;
    // Or the transaction was committed, and the connection broke before anybody learnt of it.
    const isOurs = isDatabaseAway(error) && stored.sessionId === sessionId;
    return { delivered: isOurs ? "new" : "duplicate", opened: null };
  }
}
