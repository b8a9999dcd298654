import type { Log } from "../../../core/protocol/log.ts";
import { type Clock, sleepUnlessAborted } from "../../../core/protocol/runtime.ts";
import { runOrWait } from "../../../core/store/child-status.ts";
import { beginKeyOf } from "../../../core/store/run/children.ts";
import type { Store } from "../../../core/store/store.ts";
import { isSessionBusy } from "../../../core/subagents/children.ts";
import type { ExecutorWorktrees, KeptWorktree } from "./executor-worktrees.ts";

/** Maximum size of all worktrees of ended executors, and how long one that was not merged is kept. */
export const WORKTREE_LIMITS = { bytes: 2_000_000_000, ageMs: 7 * 86_400_000 };

/** A worktree without a session may be starting; one older than this was left by a dead process. In milliseconds. */
const STRAY_MS = 3_600_000;

/** How often worktrees are checked, in milliseconds. */
const EVERY_MS = 600_000;

export interface PruneScope {
  readonly worktrees: Pick<ExecutorWorktrees, "list" | "remove">;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: typeof WORKTREE_LIMITS;
}

/** Removes unneeded worktrees until the signal aborts. */
export async function keepWorktreesPruned(options: PruneScope, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pruneWorktrees(options);
    await sleepUnlessAborted(options.clock, EVERY_MS, signal);
  }
}

/**
 * Keeps a worktree while its executor or its manager is working. Afterwards, removes it at once if it was fully merged;
 * otherwise when it is too old, or, the oldest first, when all of them are too large together.
 */
export async function pruneWorktrees(scope: PruneScope): Promise<void> {
  const { worktrees, store, clock, log, limits = WORKTREE_LIMITS } = scope;
  let left = limits.bytes;
  for (const worktree of (await worktrees.list()).toReversed()) {
    const endedAt = await endOf(worktree, { store, clock });
    if (endedAt === null) continue;
    left -= worktree.bytes;
    const age = clock.now() - endedAt;
    const isKnown = worktree.isWhole && (await store.children.get(worktree.name)) !== null;
    const isOver = isKnown ? worktree.isTaken || left < 0 || age > limits.ageMs : age > STRAY_MS;
    if (!isOver) continue;
    // A worktree that cannot be removed does not hold up the others.
    await worktrees
      .remove(worktree.name)
      .catch((error: unknown) => log.warn({ err: error, worktree: worktree.name }, "worktree_not_removed"));
  }
}

/** When the last work with it ended, in milliseconds since the epoch; null while there is some. */
async function endOf({ name, madeAt }: KeptWorktree, { store, clock }: Pick<PruneScope, "store" | "clock">) {
  const child = await store.children.get(name);
  if (child === null) return madeAt;
  const run = await runOrWait(store, name, beginKeyOf(child));
  // The executor may still wait in the queue after its manager's end.
  if (run === "waiting" || (run !== "gone" && run.status !== "ended")) return null;
  // Checked in the order in which work continues: the executor's end leaves a waiting event, which then starts a run of
  // its manager.
  if (await isSessionBusy(store, child.parentId, clock.now())) return null;
  return run === "gone" ? madeAt : (run.endedAt ?? madeAt);
}
