import type { SessionEngine } from "../engine/engine.ts";
import { runOrWait } from "../store/child-status.ts";
import { beginKeyOf, type ChildRow } from "../store/run/children.ts";
import type { Store, StoreTransaction } from "../store/store.ts";

/**
 * Sub-agents that wait for their place: what begins them is stored, and begins nothing until it is released. Whoever asks
 * for a place and whoever frees one releases the next, in the order in which they were asked for, under a lock that
 * all of a parent's share: there are never more at work than the limit.
 */
export async function releaseQueued(
  sessionId: string,
  { store, engine }: { readonly store: Store; readonly engine: Pick<SessionEngine, "deliver"> },
): Promise<void> {
  await wakeReleased(await store.transaction((tx) => releaseIn(tx, sessionId)), engine);
}

/** Answers the sub-agents that may begin once the transaction has ended. `sessionId`: their parent's. */
export async function releaseIn(tx: StoreTransaction, sessionId: string): Promise<readonly string[]> {
  await tx.children.lockTaskTree(sessionId);
  const limited = (await tx.children.ofSession(sessionId)).filter(({ task }) => task.concurrencyLimit !== undefined);
  const queued: ChildRow[] = [];
  // The newest knows the limit as it is configured now.
  let places = limited.at(-1)?.task.concurrencyLimit ?? 0;
  for (const child of limited) {
    const place = await placeIn(tx, child);
    if (place === "at work") places -= 1;
    if (place === "queued") queued.push(child);
  }
  const next = queued.slice(0, Math.max(0, places));
  for (const child of next) await tx.inbox.release(beginKeyOf(child));
  return next.map(({ id }) => id);
}

/** When this is not reached, the next start finds what was released. */
export async function wakeReleased(ids: readonly string[], engine: Pick<SessionEngine, "deliver">): Promise<void> {
  for (const id of ids) {
    await engine.deliver(id, { key: `child:${id}:released`, body: { kind: "resume", of: "place" } });
  }
}

async function placeIn(tx: StoreTransaction, child: ChildRow): Promise<"queued" | "at work" | "over"> {
  const key = beginKeyOf(child);
  const run = await runOrWait(tx, child.id, key);
  if (run === "waiting") return (await tx.inbox.isHeld(key)) ? "queued" : "at work";
  return run === "gone" || run.isEnded ? "over" : "at work";
}
