import { z } from "zod";
import type { QueryConnection } from "./cluster-connection.ts";

/** DBOS's table of workflows: one row for each claim, whether waiting, running or over. */
export const CLAIMS = "dbos.workflow_status";

export const SESSION_QUEUE = "sessions";

/** How long the row of a finished claim is kept. Milliseconds. */
const KEPT_MS = 60_000;

const keysSchema = z.array(z.object({ key: z.string() }));

/** Keys of the sessions that a process holds or is about to hold. */
export async function claimedSessions(connection: QueryConnection): Promise<ReadonlySet<string>> {
  const rows = await connection.query(
    `SELECT DISTINCT queue_partition_key AS key FROM ${CLAIMS}
     WHERE queue_name = $1 AND status IN ('ENQUEUED', 'PENDING', 'DELAYED') AND queue_partition_key IS NOT NULL`,
    [SESSION_QUEUE],
  );
  return new Set(keysSchema.parse(rows).map(({ key }) => key));
}

/** Deletes the rows of finished claims, which DBOS itself would keep forever. */
export async function forgetClaims(connection: QueryConnection): Promise<void> {
  await connection.query(
    `DELETE FROM ${CLAIMS} WHERE queue_name = $1 AND status NOT IN ('ENQUEUED', 'PENDING', 'DELAYED')
       AND updated_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $2::bigint`,
    [SESSION_QUEUE, KEPT_MS],
  );
}

/** How far a channel's waiting claims may be ahead of those of the channel with the fewest before they are put off. */
const SHARE = 32;

/**
 * How long a claim is put off. DBOS requeues it by itself after this time even if no process runs `keepFair` any more.
 * DBOS goes by each process's clock, which may be minutes ahead. Milliseconds.
 */
const PUT_OFF_MS = 15 * 60_000;

/**
 * DBOS takes claims in no particular order. A claim's place is its rank within its channel, held claims first, then by
 * time of arrival. Claims far behind the best waiting place are put off; those near it return to the queue.
 */
const KEEP_FAIR = `WITH claims AS (
    SELECT claim.workflow_uuid AS id, claim.status, row_number() OVER (
      PARTITION BY session."channelId" ORDER BY (claim.status = 'PENDING') DESC, claim.created_at, claim.workflow_uuid
    ) AS place
    FROM ${CLAIMS} AS claim JOIN "Session" AS session ON session."id" = claim.queue_partition_key
    WHERE claim.queue_name = $1 AND claim.status IN ('ENQUEUED', 'PENDING', 'DELAYED')
  ), best AS (
    SELECT min(place) AS place FROM claims WHERE status <> 'PENDING'
  ), moved AS (
    UPDATE ${CLAIMS} AS claim SET
      status = CASE claims.status WHEN 'DELAYED' THEN 'ENQUEUED' ELSE 'DELAYED' END,
      delay_until_epoch_ms = CASE claims.status WHEN 'DELAYED' THEN NULL
        ELSE (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${PUT_OFF_MS} END
    FROM claims, best
    WHERE claim.workflow_uuid = claims.id AND claim.status = claims.status AND claims.status <> 'PENDING'
      AND (claims.status = 'DELAYED') = (claims.place <= best.place + ${SHARE})
    RETURNING claims.id
  )
  SELECT (SELECT count(*) FROM claims WHERE status <> 'PENDING')::int AS waiting, (SELECT count(*) FROM moved)::int AS moved`;

const fairSchema = z.object({ waiting: z.number(), moved: z.number() });
export type FairTurns = z.infer<typeof fairSchema>;

/**
 * Puts claims off or returns them to the queue, so that channels take turns. Returns how many wait and how many were
 * moved. Not for the cluster's connection: an operator's lock on the table of sessions may block this statement for
 * longer than a heartbeat may wait behind it.
 */
export async function keepFair({ query }: QueryConnection): Promise<FairTurns> {
  const [row] = await query(KEEP_FAIR, [SESSION_QUEUE]);
  return fairSchema.parse(row);
}
