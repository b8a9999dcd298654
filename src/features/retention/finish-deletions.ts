import { type DeletionScope, finishSessions } from "./delete-sessions.ts";
import { erasePerson } from "./person/delete-person.ts";
import { deletionReads, type Why } from "./store.ts";

/** Goes on with what a process has left, as far as it was begun up to a time. Milliseconds since the epoch. */
export async function finishDeletions(world: DeletionScope, signal: AbortSignal, until = Infinity): Promise<void> {
  const all = await world.store.tables(deletionReads).marks();
  const marks = all.filter(({ createdAt }) => createdAt <= until);
  for (const why of ["session", "old"] satisfies Why[]) {
    const roots = marks.flatMap(({ id }) => (id.startsWith(`${why}:`) ? id.slice(why.length + 1) : []));
    if (roots.length === 0) continue;
    await finishSessions({ why, roots }, world, signal);
    world.log.info({ sessions: roots.length }, "deletion_finished");
  }
  for (const mark of marks) if (mark.id.startsWith("person:")) await erasePerson(mark, world, signal);
}
