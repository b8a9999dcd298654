import { resultsOf } from "../context/projection.ts";
import type { Projection } from "../events/projection.ts";
import type { Message } from "../protocol/messages.ts";
import type { ThreadRef } from "../protocol/platform.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { StoreTransaction } from "../store/store.ts";

export interface Fork {
  readonly from: SessionRow;
  /** The new session's thread, which belongs to none yet. */
  readonly thread: ThreadRef;
  /** The person's id. */
  readonly createdBy: string;
}

/**
 * Begins a session in another thread with the settings of one, and with its history as requests carry it: what a summary
 * stands for stays behind. What a run that goes on has added is not part of it. Answers how many messages it takes along.
 */
export async function forkSession(
  tx: StoreTransaction,
  { from, thread, createdBy }: Fork,
  { ids, clock }: Pick<Runtime, "ids" | "clock">,
): Promise<number> {
  const at = clock.now();
  const id = ids.next("ses");
  // A run that began between what is asked here would be taken along half.
  await tx.sessions.lock(from.id);
  await tx.sessions.beginFrom(from, { id, thread, createdBy, at });
  const open = await tx.runs.open(from.id);
  const [messages, { projection }] = await Promise.all([
    tx.messages.listWithout(from.id, open?.id ?? null),
    tx.compactions.newestOf(from.id),
  ]);
  const copied = forkedHistory(messages, projection);
  // The run's id tells the copies from what people say in the new session.
  const runId = `fork:${from.id}`;
  const copies = copied.messages.map((message) => ({ ...message, id: ids.next("msg") }));
  await tx.messages.add({ sessionId: id, runId, after: 0 }, copies);
  if (projection.number > 0) await tx.compactions.add(id, runId, { projection: copied.projection, at });
  return copies.length;
}

/** The messages that requests carry verbatim, and the projection over them alone. */
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
