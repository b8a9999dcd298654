import { resultsOf } from "../context/projection.ts";
import type { Projection } from "../events/projection.ts";
import type { ThreadRef } from "../platform/thread.ts";
import type { Message } from "../protocol/messages.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { StoreTransaction } from "../store/store.ts";

export interface Fork {
  readonly from: SessionRow;
  /** The new session's thread, which must not belong to a session yet. */
  readonly thread: ThreadRef;
  /** Id of the person. */
  readonly createdBy: string;
}

/**
 * Begins a session in another thread with a session's settings and with its history as requests carry it: messages that
 * a summary replaces stay behind, and so do those of an open run. Returns the number of copied messages.
 */
export async function forkSession(
  tx: StoreTransaction,
  { from, thread, createdBy }: Fork,
  { ids, clock }: Pick<Runtime, "ids" | "clock">,
): Promise<number> {
  const at = clock.now();
  const id = ids.next("ses");
  // Prevents a run from beginning between these queries and being copied in part.
  await tx.sessions.lock(from.id);
  await tx.sessions.beginFrom(from, { id, thread, createdBy, at });
  const open = await tx.runs.open(from.id);
  const [messages, { projection }] = await Promise.all([
    tx.messages.list(from.id, open?.id),
    tx.compactions.newestOf(from.id),
  ]);
  const copied = forkedHistory(messages, projection);
  // The run id distinguishes the copies from what people say in the new session.
  const runId = `fork:${from.id}`;
  const copies = copied.messages.map((message) => ({ ...message, id: ids.next("msg") }));
  await tx.messages.add({ sessionId: id, runId, after: 0 }, copies);
  if (projection.number > 0) await tx.compactions.add(id, runId, { projection: copied.projection, at });
  return copies.length;
}

/** The messages that requests carry verbatim, and the projection reduced to them. */
export function forkedHistory(
  all: readonly Message[],
  { evictedResults, summary, ...rest }: Projection,
): { readonly messages: readonly Message[]; readonly projection: Projection } {
  const dropped = summary?.messages ?? 0;
  const messages = all.slice(dropped);
  const left = evictedResults - countResults(all.slice(0, dropped));
  return {
    messages,
    projection: {
      ...rest,
      evictedResults: Math.min(Math.max(0, left), countResults(messages)),
      summary: summary === null ? null : { ...summary, messages: 0, madeAt: Math.max(0, summary.madeAt - dropped) },
    },
  };
}

function countResults(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + resultsOf(message).length, 0);
}
