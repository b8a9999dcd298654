import { type DeletingWorld, finishSessions } from "./delete-sessions.ts";
import { deletionReads } from "./store.ts";

/** Goes on with what a process before this one has left. */
export async function finishDeletions(world: DeletingWorld, signal: AbortSignal): Promise<void> {
  const marks = await world.store.tables(deletionReads).marks();
  const sessions = marks.flatMap(({ id }) => (id.startsWith("session:") ? id.slice("session:".length) : []));
  if (sessions.length === 0) return;
  await finishSessions(sessions, world, signal);
  world.log.info({ sessions: sessions.length }, "deletion_finished");
}
