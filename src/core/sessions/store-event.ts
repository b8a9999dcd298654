import type { Runtime } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";
import type { Claim, Delivered } from "./engine.ts";
import { resumesRun, type SessionEvent, startsRun } from "./session-event.ts";

interface NewEvent {
  readonly sessionId: string;
  readonly event: SessionEvent;
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
  readonly claim?: Claim | undefined;
}

/** Once for each key, in one transaction with its claim. */
export async function storeEvent(
  { sessionId, event, dueAt, claim }: NewEvent,
  { store, runtime }: { readonly store: Store; readonly runtime: Pick<Runtime, "clock"> },
): Promise<Delivered> {
  const at = runtime.clock.now();
  try {
    return await store.transaction(async (tx) => {
      if (await tx.inbox.has(event.key)) return "duplicate";
      if (claim !== undefined && !(await claim(tx))) return "refused";
      const [wakes, resumes] = [startsRun(event), resumesRun(event)];
      await tx.inbox.insert({ sessionId, event, wakes, resumes, dueAt, at });
      return "new";
    });
  } catch (error) {
    // Two processes may race past the check; the unique index decides.
    if (await store.inbox.has(event.key)) return "duplicate";
    throw error;
  }
}
