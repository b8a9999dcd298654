import type { Client } from "../database/client.ts";

/** Prefix of the keys of sessions that are being deleted, so that no thread finds them any more. */
export const GONE_KEY = "deleted:";

/** More generations than sub-agents can have, so that a walk also ends at a row that points to itself. */
export const MAX_GENERATIONS = 8;

/** A session, and the one that started it; null for those at the beginning of a walk. */
interface Member {
  readonly id: string;
  readonly parentId: string | null;
}

/** The given sessions and then those of their sub-agents, one generation after another. */
export async function* generationsFrom(
  db: Client,
  sessionIds: readonly string[],
): AsyncGenerator<readonly Member[], void> {
  let level: readonly Member[] = sessionIds.map((id) => ({ id, parentId: null }));
  for (let generation = 0; level.length > 0 && generation <= MAX_GENERATIONS; generation += 1) {
    yield level;
    const parentId = { in: level.map(({ id }) => id) };
    level = await db.session.findMany({ where: { parentId }, select: { id: true, parentId: true } });
  }
}
