import { z } from "zod";
import type { ClusterMember, DrainOutcome, OtherReplica } from "../../cluster.ts";
import { CLOSED_SCHEMAS, closedSchemas } from "../database/connection/postgresql-rights.ts";
import type { QueryConnection } from "./cluster-connection.ts";
import { IS_DEAD } from "./membership.ts";

/** The live processes. After all were killed, rows of dead ones remain until the next process's first heartbeat. */
const MEMBERS = `SELECT id, facts, state, draining,
    ARRAY(SELECT name FROM deckhand_cluster.role WHERE replica = id ORDER BY name) AS roles
  FROM deckhand_cluster.replica AS other WHERE NOT ${IS_DEAD} ORDER BY facts->>'startedAt', id`;

/**
 * Locks the live rows, so that a simultaneous request for another process waits and then sees the outcome of this one.
 * The last process left is never drained.
 */
const DRAIN = `WITH taking AS (
    SELECT other.id FROM deckhand_cluster.replica AS other
    WHERE NOT other.draining AND NOT ${IS_DEAD} ORDER BY other.id FOR UPDATE OF other
  ), asked AS (
    UPDATE deckhand_cluster.replica SET draining = true
    WHERE id = $1 AND (draining OR (SELECT count(*) FROM taking WHERE id <> $1) > 0) RETURNING id
  )
  SELECT CASE WHEN EXISTS (SELECT FROM asked) THEN 'asked'
    WHEN EXISTS (SELECT FROM deckhand_cluster.replica WHERE id = $1) THEN 'last' ELSE 'gone' END AS outcome`;

const drainSchema = z.object({ outcome: z.enum(["asked", "last", "gone"]) });

const FIND_TABLES = "SELECT to_regclass('deckhand_cluster.role') IS NOT NULL AS found";

/** Missing fields get defaults, because processes of another version may report fewer. */
const rowSchema = z.object({
  id: z.string(),
  draining: z.boolean(),
  roles: z.array(z.string()),
  facts: z.object({
    host: z.string().catch("?"),
    pid: z.number().catch(0),
    version: z.string().catch("?"),
    startedAt: z.number().catch(0),
    settings: z.record(z.string(), z.string()).catch({}),
    given: z.record(z.string(), z.string()).nullable().catch(null),
  }),
  state: z.object({
    running: z.number().catch(0),
    waiting: z.number().catch(0),
    platforms: z.record(z.string(), z.boolean()).catch({}),
  }),
});

export async function readMembers({ query }: QueryConnection): Promise<readonly ClusterMember[]> {
  const rows = z.array(rowSchema).parse(await query(MEMBERS));
  return rows.map(({ facts, state, ...row }) => ({ ...row, ...facts, ...state }));
}

/** As `readMembers`, for a database that may never have had any. Throws ConfigError if this user may not read them. */
export async function findMembers(connection: QueryConnection): Promise<readonly ClusterMember[]> {
  const closed = closedSchemas(await connection.query(CLOSED_SCHEMAS));
  if (closed !== null) throw closed;
  const [row] = await connection.query(FIND_TABLES);
  return z.object({ found: z.boolean() }).parse(row).found ? readMembers(connection) : [];
}

/** Asks a process to hand over its work and end. */
export async function drainMember({ query }: QueryConnection, id: string): Promise<DrainOutcome> {
  const [row] = await query(DRAIN, [id]);
  return drainSchema.parse(row).outcome;
}

const OTHERS = `SELECT other.id, other.state FROM deckhand_cluster.replica AS other
  WHERE other.id <> $1 AND NOT ${IS_DEAD} ORDER BY other.id`;

const othersSchema = z.array(z.object({ id: z.string(), state: z.unknown() }));

/** The live processes other than the one of this id. */
export async function othersThan(id: string, { query }: QueryConnection): Promise<readonly OtherReplica[]> {
  return othersSchema.parse(await query(OTHERS, [id]));
}

/** A live process, with the name that people know it by: `host:pid`. */
export interface KnownReplica {
  readonly id: string;
  readonly name: string;
  /** Whether the process shows its directories; earlier versions do not. */
  readonly showsDirectories: boolean;
}

/** The eldest live process that joined before this one, or of all if this one has not joined. */
const ELDEST = `SELECT id, concat(facts->>'host', ':', facts->>'pid') AS name,
    facts->>'showsDirectories' IS NOT NULL AS "showsDirectories" FROM deckhand_cluster.replica AS other
  WHERE id <> $1 AND NOT ${IS_DEAD}
    AND joined < coalesce((SELECT joined FROM deckhand_cluster.replica WHERE id = $1), 9223372036854775807)
  ORDER BY joined LIMIT 1`;

const eldestSchema = z.array(z.object({ id: z.string(), name: z.string(), showsDirectories: z.boolean() }));

/** The process to which later ones prove that they share its directories; null if none joined before this one. */
export async function eldestOther(id: string, { query }: QueryConnection): Promise<KnownReplica | null> {
  return eldestSchema.parse(await query(ELDEST, [id]))[0] ?? null;
}
