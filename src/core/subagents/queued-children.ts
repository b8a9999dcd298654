import type { SessionEngine } from "../engine/engine.ts";
import { runOrWait } from "../store/child-status.ts";
import { beginKeyOf, type ChildRow } from "../store/run/children.ts";
import type { Store, StoreTransaction } from "../store/store.ts";

/**
 * Starts queued sub-agents while there are free slots. The event that begins a queued sub-agent is stored but held
 * until its release. Requests and frees of a slot release the next ones in order, under a lock shared by all children
 * of a parent, so that never more run than the limit allows.
 */
export async function releaseQueued(
  sessionId: string,
  { store, engine }: { readonly store: Store; readonly engine: Pick<SessionEngine, "deliver"> },
): Promise<void> {
  await wakeReleased(await store.transaction((tx) => releaseIn(tx, sessionId)), engine);
}

/** Releases queued children of a session. Returns those that may begin once the transaction is committed. */
export async function releaseIn(tx: StoreTransaction, sessionId: string): Promise<readonly string[]> {
  await tx.sessions.lock(sessionId);
  const limited = (await tx.children.ofSession(sessionId)).filter(({ task }) => task.concurrencyLimit !== undefined);
  const queued: ChildRow[] = [];
  // The newest child carries the limit as currently configured.
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

/** Wakes the released sub-agents. After a crash before this, the next start finds them. */
export async function wakeReleased(ids: readonly string[], engine: Pick<SessionEngine, "deliver">): Promise<void> {
  for (const id of ids) {
    await engine.deliver(id, { key: `child:${id}:released`, body: { kind: "resume", of: "place" } });
  }
}

async function placeIn(tx: StoreTransaction, child: ChildRow): Promise<"queued" | "at work" | "over"> {
  const key = beginKeyOf(child);
  const run = await runOrWait(tx, child.id, key);
  if (run === "waiting") return (await tx.inbox.isHeld(key)) ? "queued" : "at work";
  return run === "gone" || run.status === "ended" ? "over" : "at work";
}
