import { type DeletionScope, deleteSessions, emptyLog, inBatches } from "./delete-sessions.ts";
import { memoryDeletion } from "./memories/store.ts";
import { deletionReads } from "./store.ts";
import { inThreads, threadDeletion } from "./threads/store.ts";

/** Sessions deleted together. */
const TOGETHER = 25;
/** Threads of the program's own platforms read together. */
const THREADS = 100;

/**
 * Deletes what is older than a time, in milliseconds since the epoch: sessions without activity since, memories neither
 * used since nor pinned, and threads of the page without a session. Sessions with running or starting work stay.
 */
export async function deleteOld(before: number, world: DeletionScope, signal: AbortSignal) {
  const { store } = world;
  const reads = store.tables(deletionReads);
  const stay: string[] = [];
  let sessions = 0;
  for (;;) {
    const roots = await reads.olderThan(before, TOGETHER, stay);
    if (roots.length === 0) break;
    for (const [id, outcome] of await deleteSessions({ why: "old", roots }, world, signal)) {
      if (outcome === "deleted") sessions += 1;
      else stay.push(id);
    }
    signal.throwIfAborted();
  }
  const forget = () => store.transaction((tx) => tx.tables(memoryDeletion).forgetUnused(before));
  const memories = await inBatches(forget, signal);
  const threads = await oldThreads(before, world, signal);
  await emptyLog(world, signal);
  return { sessions, memories, threads };
}

/** Deletes threads that hold only commands, which were typed on the page and answered without a session. */
async function oldThreads(
  before: number,
  { store, threadErased }: DeletionScope,
  signal: AbortSignal,
): Promise<number> {
  const reads = store.tables(threadDeletion);
  let deleted = 0;
  for (let old = await reads.old(before, "", THREADS); old.length > 0; ) {
    for (const id of old) {
      if (await reads.hasSession(id)) continue;
      const messages = await inBatches(() => inThreads(store, (threads) => threads.messagesOf(id, before)), signal);
      // It stays if somebody has written there meanwhile.
      const isWhole = await inThreads(store, (threads) => threads.thread(id, before));
      if (isWhole || messages > 0) threadErased?.(id, isWhole);
      if (isWhole) deleted += 1;
    }
    old = await reads.old(before, old.at(-1) ?? "", THREADS);
  }
  return deleted;
}
