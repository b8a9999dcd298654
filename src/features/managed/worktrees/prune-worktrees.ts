import type { Log } from "../../../core/protocol/log.ts";
import { type Clock, slept } from "../../../core/protocol/runtime.ts";
import { runOrWait } from "../../../core/store/child-status.ts";
import { beginKeyOf } from "../../../core/store/run/children.ts";
import type { Store } from "../../../core/store/store.ts";
import type { ExecutorWorktrees, KeptWorktree } from "./executor-worktrees.ts";

/** How much executors' worktrees may hold together once their work has ended, and how long what was not merged stays. */
export const WORKTREE_LIMITS = { bytes: 2_000_000_000, ageMs: 7 * 86_400_000 };

/** What no session knows of may be about to begin; older, a process that died has left it. Milliseconds. */
const STRAY_MS = 3_600_000;

/** How often worktrees are looked after. Milliseconds. */
const EVERY_MS = 600_000;

export interface PruneScope {
  readonly worktrees: Pick<ExecutorWorktrees, "list" | "remove">;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: typeof WORKTREE_LIMITS;
}

/** Removes worktrees that nobody needs, until the signal aborts. */
export async function keepWorktreesPruned(options: PruneScope, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pruneWorktrees(options);
    await slept(options.clock, EVERY_MS, signal);
  }
}

/**
 * A worktree stays while its executor or its manager is at work. Then it goes at once when all of it was merged, else
 * when its time is up, or, the oldest first, when there are too many.
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
    // One that cannot be removed keeps no other.
    await worktrees
      .remove(worktree.name)
      .catch((error: unknown) => log.warn({ err: error, worktree: worktree.name }, "worktree_not_removed"));
  }
}

/** Since when nobody has worked with it, in milliseconds since the epoch; null while somebody does. */
async function endOf({ name, madeAt }: KeptWorktree, { store, clock }: Pick<PruneScope, "store" | "clock">) {
  const child = await store.children.get(name);
  if (child === null) return madeAt;
  const run = await runOrWait(store, name, beginKeyOf(child));
  // It may wait for its place after its manager's end.
  if (run === "waiting" || (run !== "gone" && !run.isEnded)) return null;
  // In the order in which work goes on: what its end brings waits, and then begins a run of its manager.
  if ((await store.inbox.nextWaking(child.parentId, clock.now())) !== null) return null;
  if ((await store.runs.open(child.parentId)) !== null) return null;
  return run === "gone" ? madeAt : ((await store.runs.get(run.id))?.endedAt ?? madeAt);
}
