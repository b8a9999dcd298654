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
     WHERE queue_name = $1 AND status IN ('ENQUEUED', 'PENDING') AND queue_partition_key IS NOT NULL`,
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
