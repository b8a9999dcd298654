import type { Client } from "pg";
import { z } from "zod";
import { ConfigError } from "../../protocol/errors.ts";
import { CONNECTIONS, connectionLimit } from "./connection/connections.ts";
import { requireSettings } from "./connection/needed-settings.ts";
import { openConnection } from "./connection/open-connection.ts";
import { CLOSED_SCHEMAS, closedSchemas, NO_SCHEMAS } from "./connection/postgresql-rights.ts";
import { unavailable } from "./connection/unavailable.ts";

/** How a process uses its server. */
export interface ServerUse {
  readonly url: string;
  /** URL of the same database without a pooler; equal to `url` if there is none. */
  readonly directUrl: string;
  readonly engine: keyof typeof CONNECTIONS;
}

/** A server that takes longer to answer a query counts as unreachable. Milliseconds. */
const ANSWER_MS = 10_000;

/**
 * Rejects with ConfigError if the database cannot serve this process: a pooler in place of the server, two different
 * databases, a missing right, an unsuitable setting, too few connections. Resolves with warnings for the operator.
 * Changes nothing.
 */
export async function requireServer(use: ServerUse): Promise<readonly string[]> {
  await using connections = new AsyncDisposableStack();
  const open = async (url: string): Promise<Client> => {
    const { connection } = await openConnection(url, { query_timeout: ANSWER_MS });
    connections.defer(() => connection.end());
    return connection;
  };
  const { url, directUrl } = use;
  const isApart = url !== directUrl;
  const { direct, lines } = await requireDirect(use, () => open(directUrl)).catch((error: unknown) => {
    const { problems } = unavailable(directUrl, error);
    throw new ConfigError(isApart ? problems.map(ofDirectUrl) : problems);
  });
  const look = async () => {
    if (!isApart) return null;
    const main = await open(url);
    await requireSettings(main);
    return differenceOf(direct, main);
  };
  const difference = await look().catch((error: unknown) => {
    throw unavailable(url, error);
  });
  if (difference !== null) throw new ConfigError([difference]);
  return isApart ? lines.map(ofDirectUrl) : lines;
}

async function requireDirect(use: ServerUse, open: () => Promise<Client>) {
  const direct = await open();
  await requireSettings(direct);
  const server = serverSchema.parse((await direct.query(LOOK)).rows[0]);
  const { processID } = announcedSchema.parse(direct);
  if (server.pid !== processID && (await changesConnections(direct, await open()))) throw new ConfigError([POOLER]);
  if (server.is_standby) throw new ConfigError([STANDBY]);
  if (server.is_read_only) throw new ConfigError([READ_ONLY]);
  if (use.engine === "dbos") {
    if (!server.may_create_schemas) throw new ConfigError([NO_SCHEMAS]);
    const closed = closedSchemas((await direct.query(CLOSED_SCHEMAS)).rows);
    if (closed !== null) throw closed;
  }
  return { direct, lines: scarceConnections(server, use) };
}

function ofDirectUrl(problem: string): string {
  return problem.replace(/^DATABASE_URL/u, "DATABASE_DIRECT_URL");
}

const POOLER =
  "DATABASE_URL: points to a pooler that gives each transaction another connection, so locks and notifications are lost. Set DATABASE_DIRECT_URL to the URL of the database itself.";

const STANDBY =
  "DATABASE_URL: points to a PostgreSQL standby, which is read-only. Use the URL of the primary, or promote this server.";

const READ_ONLY =
  "DATABASE_URL: the database is read-only (default_transaction_read_only is on). Turn it off for this user and database, or use another database.";

const OTHER_TABLES =
  "DATABASE_DIRECT_URL: its user cannot find the tables of DATABASE_URL, or may not read them. Use the same user in both URLs, or give this one the other's search_path and GRANT SELECT on its tables.";

const OTHER_DATABASE =
  "DATABASE_DIRECT_URL: points to another database than DATABASE_URL. Use the database that the pooler connects to.";

const serverSchema = z.object({
  /** Id of the server process that serves this statement. */
  pid: z.number(),
  user: z.string(),
  database: z.string(),
  may_create_schemas: z.boolean(),
  is_standby: z.boolean(),
  is_read_only: z.boolean(),
  /** The limit on connections and how many others are open: of the server, of the user, of the database. */
  most: z.number(),
  used: z.number(),
  user_most: z.number().nullable(),
  user_used: z.number(),
  database_most: z.number().nullable(),
  database_used: z.number(),
});
type Server = z.infer<typeof serverSchema>;

/** Describes the server and the user. Limits that do not apply to a superuser are left out for one. */
const LOOK = `SELECT pg_backend_pid() AS pid,
    quote_ident(current_user) AS "user",
    quote_ident(current_database()) AS "database",
    has_database_privilege(current_database(), 'CREATE') AS may_create_schemas,
    pg_is_in_recovery() AS is_standby,
    current_setting('transaction_read_only')::boolean AS is_read_only,
    current_setting('max_connections')::int - CASE WHEN rolsuper THEN 0
      ELSE current_setting('superuser_reserved_connections')::int
        + coalesce(current_setting('reserved_connections', true), '0')::int END AS most,
    CASE WHEN NOT rolsuper AND rolconnlimit >= 0 THEN rolconnlimit END AS user_most,
    CASE WHEN NOT rolsuper AND datconnlimit >= 0 THEN datconnlimit END AS database_most,
    there.used, there.user_used, there.database_used
  FROM pg_roles, pg_database, LATERAL (
    SELECT count(*)::int AS used,
      (count(*) FILTER (WHERE usesysid = pg_roles.oid))::int AS user_used,
      (count(*) FILTER (WHERE datid = pg_database.oid))::int AS database_used
    FROM pg_stat_activity WHERE datid IS NOT NULL AND usesysid IS NOT NULL AND pid <> pg_backend_pid()
  ) AS there
  WHERE rolname = current_user AND datname = current_database()`;

/** Id of the server process announced at connection; a pooler announces one of its own. */
const announcedSchema = z.object({ processID: z.number() });

/** Number of tries, because other clients of a pooler may use the very connection that would reveal it. */
const ROUNDS = 20;

/**
 * Whether different connections carry two transactions of one client, or one connection carries two clients. A pooler
 * in session mode, which gives each client a connection of its own, is as good as the server.
 */
async function changesConnections(one: Client, other: Client): Promise<boolean> {
  const own = await servedBy(one);
  for (let round = 0; round < ROUNDS; round += 1) {
    await other.query("BEGIN");
    if ((await servedBy(other)) === own || (await servedBy(one)) !== own) return true;
    await other.query("COMMIT");
    if ((await servedBy(one)) !== own) return true;
  }
  return false;
}

async function servedBy(client: Client): Promise<number> {
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  return z.object({ pid: z.number() }).parse(rows[0]).pid;
}

/** An arbitrary number that no other advisory lock in the database uses. */
const SAME_DATABASE_LOCK = 4_207_133_702;

const FIND_LOCK = `SELECT EXISTS (
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = $1
      AND (classid::bigint << 32 | objid::bigint) = ${SAME_DATABASE_LOCK}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  ) AS met, to_regclass('"Session"')::oid AS sessions`;

const MAY_READ = `SELECT to_regclass('"Session"')::oid IS NOT DISTINCT FROM $1
  AND has_table_privilege($1, 'SELECT') IS NOT FALSE AS may`;

/** Message to the operator if the two URLs do not point to the same tables; null if they do. */
async function differenceOf(direct: Client, pooled: Client): Promise<string | null> {
  // A lock taken over one connection is visible over the other.
  await direct.query(`SELECT pg_advisory_lock_shared(${SAME_DATABASE_LOCK})`);
  const [row] = (await pooled.query(FIND_LOCK, [await servedBy(direct)])).rows;
  const { met, sessions } = z.object({ met: z.boolean(), sessions: z.number().nullable() }).parse(row);
  if (!met) return OTHER_DATABASE;
  const [read] = (await direct.query(MAY_READ, [sessions])).rows;
  return z.object({ may: z.boolean() }).parse(read).may ? null : OTHER_TABLES;
}

/** With this many connections in its pool a process works, though slowly. */
const MIN_POOLED = 2;

/** Throws ConfigError if a process cannot work with the connections left; warns if they may become too few. */
function scarceConnections(server: Server, { url, directUrl, engine }: ServerUse): readonly string[] {
  const own = CONNECTIONS[engine];
  const isApart = url !== directUrl; // A pooler's own settings decide how many it opens.
  const wanted = own + (isApart ? 0 : connectionLimit(url));
  const { left, remedy } = scarcest(server);
  if (left >= wanted) return [];
  const lower = isApart ? "" : ", or lower connection_limit in DATABASE_URL";
  const problem = `DATABASE_URL: too few connections: PostgreSQL has ${left} left for this user, and a process opens up to ${wanted}. Raise ${remedy}${lower}.`;
  if (left < own + (isApart ? 0 : MIN_POOLED)) throw new ConfigError([problem]);
  return [problem];
}

/** The limit that will be reached first. */
function scarcest(server: Server): { readonly left: number; readonly remedy: string } {
  const { most, used, user, user_most: userMost, database, database_most: databaseMost } = server;
  const limits = [
    { most, used, remedy: `max_connections (${used} are in use, ${most} are available to this user)` },
    { most: userMost, used: server.user_used, remedy: `ALTER ROLE ${user} CONNECTION LIMIT (${userMost})` },
    {
      most: databaseMost,
      used: server.database_used,
      remedy: `ALTER DATABASE ${database} CONNECTION LIMIT (${databaseMost})`,
    },
  ].flatMap((limit) => (limit.most === null ? [] : [{ left: limit.most - limit.used, remedy: limit.remedy }]));
  const [first = { left: 0, remedy: "max_connections" }] = limits.toSorted((a, b) => a.left - b.left);
  return { ...first, left: Math.max(0, first.left) };
}
