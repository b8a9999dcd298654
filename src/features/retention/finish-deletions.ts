import { toAppError } from "../../core/protocol/errors.ts";
import { type DeletionScope, finishSessions } from "./delete-sessions.ts";
import { erasePerson } from "./person/delete-person.ts";
import { type DeletionReason, deletionReads, type Mark } from "./store.ts";

/** Completes deletions that a process left, if they were begun before `until`, in milliseconds since the epoch. */
export async function finishDeletions(world: DeletionScope, signal: AbortSignal, until = Infinity): Promise<void> {
  for (const mark of await world.store.tables(deletionReads).marks()) {
    if (mark.createdAt > until) continue;
    try {
      await finish(mark, world, signal);
    } catch (error) {
      signal.throwIfAborted();
      // A deletion that fails now does not hold up the others.
      world.log.error({ err: toAppError(error) }, "deletion_not_finished");
    }
  }
}

async function finish(mark: Mark, world: DeletionScope, signal: AbortSignal): Promise<void> {
  if (mark.id.startsWith("person:")) return erasePerson(mark, world, signal);
  const why: DeletionReason = mark.id.startsWith("old:") ? "old" : "session";
  await finishSessions({ why, roots: [mark.id.slice(why.length + 1)] }, world, signal);
  world.log.info({ why }, "deletion_finished");
}
