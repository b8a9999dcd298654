import { toAppError } from "../../../core/protocol/errors.ts";
import type { Store } from "../../../core/store/store.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { workspaceOf } from "../audience.ts";
import { memoryReads, memoryWrites } from "../store.ts";
import { termsOf } from "./terms.ts";

/** Memories indexed per transaction, so that other writes get their turn. */
const BATCH = 200;

/**
 * Indexes memories written by an older version with other index words. Never rejects; after a failure they are merely
 * not found yet.
 */
export async function reindex({ store, log }: Pick<FeatureHost, "store" | "log">, signal: AbortSignal): Promise<void> {
  try {
    await indexMissing(store, signal);
  } catch (error) {
    log.warn({ err: toAppError(error) }, "memories_not_indexed");
  }
}

export async function indexMissing(store: Store, signal: AbortSignal): Promise<void> {
  for (let left = BATCH; left > 0 && !signal.aborted; ) left = await indexSome(store);
}

/** Indexes one batch; returns its size. */
async function indexSome(store: Store): Promise<number> {
  const some = await store.tables(memoryReads).withoutTerms(BATCH);
  if (some.length === 0) return 0;
  await store.transaction(async (tx) => {
    const writes = tx.tables(memoryWrites);
    for (const memory of some) {
      await writes.reindex(memory.seq, termsOf({ ...memory, workspace: workspaceOf(memory.thread) }));
    }
  });
  return some.length;
}
