import { z } from "zod";
import type { ClusterConnection } from "./cluster-connection.ts";

/** Where DBOS keeps what was asked for and what is being done. */
export const CLAIMS = "dbos.workflow_status";

/** The name of the queue of sessions. */
export const SESSION_QUEUE = "sessions";

/** What is done need not be known for longer. Milliseconds. */
const KEPT_MS = 60_000;

const keysSchema = z.array(z.object({ key: z.string() }));

/** Sessions that some process holds, or is about to. */
export async function claimedSessions(connection: ClusterConnection): Promise<ReadonlySet<string>> {
  const rows = await connection.query(
    `SELECT DISTINCT queue_partition_key AS key FROM ${CLAIMS}
     WHERE queue_name = $1 AND status IN ('ENQUEUED', 'PENDING', 'DELAYED') AND queue_partition_key IS NOT NULL`,
    [SESSION_QUEUE],
  );
  return new Set(keysSchema.parse(rows).map(({ key }) => key));
}

/** Deletes the rows of claims that are over: DBOS itself keeps them for ever. */
export async function forgetClaims(connection: ClusterConnection): Promise<void> {
  await connection.query(
    `DELETE FROM ${CLAIMS} WHERE queue_name = $1 AND status NOT IN ('ENQUEUED', 'PENDING', 'DELAYED')
       AND updated_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $2::bigint`,
    [SESSION_QUEUE, KEPT_MS],
  );
}

/** Claims of one channel that may wait in the queue beyond the channel that has least. */
const SHARE = 32;

/**
 * What is put off goes back to the queue by itself where nobody looks at it any more: DBOS does that by the clock of each
 * process, which may be minutes ahead. Milliseconds.
 */
const PUT_OFF_MS = 15 * 60_000;

/**
 * DBOS takes claims in no order. A claim's place is how many of its channel are held or have come before it: those far behind
 * the best place are put off, and those near it go back to the queue.
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
 * Puts claims off, or back into the queue, so that channels take turns; answers how many wait, and how many were moved. An
 * operator may lock the table of sessions for longer than a word that a process lives may wait behind this.
 */
export async function keepFair({ query }: Pick<ClusterConnection, "query">): Promise<FairTurns> {
  const [row] = await query(KEEP_FAIR, [SESSION_QUEUE]);
  return fairSchema.parse(row);
}
