import { z } from "zod";
import type { ClusterMember, DrainOutcome, OtherReplica } from "../../cluster.ts";
import { CLOSED_SCHEMAS, closedSchemas } from "../database/connection/postgresql-rights.ts";
import type { ClusterConnection } from "./cluster-connection.ts";
import { IS_DEAD } from "./membership.ts";

/** Those that live: where all have been killed, their rows are there until the next one says its first word. */
const MEMBERS = `SELECT id, facts, state, draining,
    ARRAY(SELECT name FROM deckhand_cluster.role WHERE replica = id ORDER BY name) AS roles
  FROM deckhand_cluster.replica AS other WHERE NOT ${IS_DEAD} ORDER BY facts->>'startedAt', id`;

/** Who asks at the same moment for another one waits, and sees what this one has left. */
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

/** What processes of another version report may lack something. */
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

export async function readMembers({ query }: Pick<ClusterConnection, "query">): Promise<readonly ClusterMember[]> {
  const rows = z.array(rowSchema).parse(await query(MEMBERS));
  return rows.map(({ facts, state, ...row }) => ({ ...row, ...facts, ...state }));
}

/** The same of a database on which there may never have been any. Throws ConfigError where they are closed to this user. */
export async function findMembers(connection: Pick<ClusterConnection, "query">): Promise<readonly ClusterMember[]> {
  const closed = closedSchemas(await connection.query(CLOSED_SCHEMAS));
  if (closed !== null) throw closed;
  const [row] = await connection.query(FIND_TABLES);
  return z.object({ found: z.boolean() }).parse(row).found ? readMembers(connection) : [];
}

/** Asks a process to hand all over and end. */
export async function drainMember({ query }: Pick<ClusterConnection, "query">, id: string): Promise<DrainOutcome> {
  const [row] = await query(DRAIN, [id]);
  return drainSchema.parse(row).outcome;
}

const OTHERS = `SELECT other.id, other.state FROM deckhand_cluster.replica AS other
  WHERE other.id <> $1 AND NOT ${IS_DEAD} ORDER BY other.id`;

const othersSchema = z.array(z.object({ id: z.string(), state: z.unknown() }));

/** Those that live beside the process of this id. */
export async function othersThan(
  id: string,
  { query }: Pick<ClusterConnection, "query">,
): Promise<readonly OtherReplica[]> {
  return othersSchema.parse(await query(OTHERS, [id]));
}

/** A process that lives, and how people know it: `host:pid`. */
export interface KnownReplica {
  readonly id: string;
  readonly name: string;
  /** Whether it shows its directories; one of an earlier version does not say so. */
  readonly showsDirectories: boolean;
}

/** The first of those that live and have joined before this one, or of all where this one has not joined. */
const ELDEST = `SELECT id, concat(facts->>'host', ':', facts->>'pid') AS name,
    facts->>'showsDirectories' IS NOT NULL AS "showsDirectories" FROM deckhand_cluster.replica AS other
  WHERE id <> $1 AND NOT ${IS_DEAD}
    AND joined < coalesce((SELECT joined FROM deckhand_cluster.replica WHERE id = $1), 9223372036854775807)
  ORDER BY joined LIMIT 1`;

const eldestSchema = z.array(z.object({ id: z.string(), name: z.string(), showsDirectories: z.boolean() }));

/** The process that all others have shown to share its directories; null where no other lives. */
export async function eldestOther(
  id: string,
  { query }: Pick<ClusterConnection, "query">,
): Promise<KnownReplica | null> {
  return eldestSchema.parse(await query(ELDEST, [id]))[0] ?? null;
}
