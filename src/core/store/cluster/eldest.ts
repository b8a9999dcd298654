import { z } from "zod";
import type { ClusterConnection } from "./cluster-connection.ts";
import { IS_DEAD } from "./membership.ts";

/** A process that lives, and how people know it: `host:pid`. */
export interface KnownReplica {
  readonly id: string;
  readonly name: string;
}

/** The first of those that live and have joined before this one, or of all where this one has not joined. */
const ELDEST = `SELECT id, concat(facts->>'host', ':', facts->>'pid') AS name FROM deckhand_cluster.replica AS other
  WHERE id <> $1 AND NOT ${IS_DEAD}
    AND joined < coalesce((SELECT joined FROM deckhand_cluster.replica WHERE id = $1), 9223372036854775807)
  ORDER BY joined LIMIT 1`;

const eldestSchema = z.array(z.object({ id: z.string(), name: z.string() }));

/** The process that all others have shown to share its directories; null where no other lives. */
export async function eldestOther(
  id: string,
  { query }: Pick<ClusterConnection, "query">,
): Promise<KnownReplica | null> {
  return eldestSchema.parse(await query(ELDEST, [id]))[0] ?? null;
}
