import type { Client } from "pg";
import { z } from "zod";
import { ConfigError } from "../../../protocol/errors.ts";
import { systemCode } from "../../../protocol/system-code.ts";

/** PostgreSQL's code for a missing privilege. Source: PostgreSQL docs, PostgreSQL Error Codes. */
const INSUFFICIENT_PRIVILEGE = "42501";

/** Names are quoted as SQL needs them. */
const rightsSchema = z.object({
  user: z.string(),
  database: z.string(),
  /** Schema of new tables; null if no schema of the search path exists and is open to the user. */
  schema: z.string().nullable(),
  search_path: z.string(),
  may_create: z.boolean().nullable(),
  /** Whether the user may use the table of migrations; null while there is none. */
  may_use: z.boolean().nullable(),
});
type UserRights = z.infer<typeof rightsSchema>;

const STANDING = `SELECT quote_ident(current_user) AS "user",
  quote_ident(current_database()) AS "database",
  quote_ident(current_schema()) AS "schema",
  current_setting('search_path') AS "search_path",
  has_schema_privilege(current_schema(), 'CREATE') AS "may_create",
  has_table_privilege(own.oid, 'SELECT') AND has_table_privilege(own.oid, 'INSERT')
    AND has_table_privilege(own.oid, 'UPDATE') AS "may_use"
  FROM (SELECT to_regclass('"_prisma_migrations"')::oid AS oid) AS own`;

/**
 * Rejects with ConfigError, naming the statement that fixes it, if the connection's user lacks a right that a start
 * needs: to use the tables and, if migrations are pending, to create some. Changes nothing.
 */
export async function requireRights(connection: Client, pending: () => Promise<readonly unknown[]>): Promise<void> {
  const { rows } = await connection.query(STANDING);
  const rights = rightsSchema.parse(rows[0]);
  const { user, schema, may_create: mayCreate, may_use: mayUse } = rights;
  if (schema === null)
    throw lacking(`has no schema to use (search_path: ${rights.search_path})`, noSchema(rights), rights);
  if (mayUse === false) {
    const grant = `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user}; GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${user};`;
    throw lacking(`may not use Deckhand's tables in schema ${schema}`, grant, rights);
  }
  if (mayCreate === true || (await pending()).length === 0) return;
  throw lacking(`may not create tables in schema ${schema}`, `GRANT CREATE ON SCHEMA ${schema} TO ${user};`, rights);
}

/** The statement that creates the first schema of the search path that is not the user's own. */
function noSchema({ user, search_path: searchPath }: UserRights): string {
  const named = searchPath.split(",").map((name) => name.trim());
  const schema = named.find((name) => name !== "" && name !== '"$user"') ?? "public";
  return `CREATE SCHEMA IF NOT EXISTS ${schema}; GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${user};`;
}

function lacking(what: string, statement: string, { user, database }: UserRights): ConfigError {
  return new ConfigError([
    `DATABASE_URL: the user ${user} ${what}. As an owner or superuser, run in database ${database}: ${statement}`,
  ]);
}

/** A ConfigError if PostgreSQL refused a migration because another user owns the tables; otherwise null. */
export function refusedMigration(migration: string, cause: unknown): ConfigError | null {
  if (!isRefusal(cause)) return null;
  return new ConfigError([
    `DATABASE_URL: PostgreSQL refuses the migration ${migration} (${cause.message}). Only the owner of the tables can run it: start once with that user in DATABASE_URL, or make the current user their owner (ALTER TABLE … OWNER TO …).`,
  ]);
}

export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && systemCode(error) === INSUFFICIENT_PRIVILEGE;
}

/** Existing schemas of the engine of several processes that this user cannot fully use, with their owners. */
export const CLOSED_SCHEMAS = `SELECT quote_ident(nspname) AS name, quote_ident(pg_get_userbyid(nspowner)) AS owner
  FROM pg_namespace WHERE nspname IN ('dbos', 'deckhand_cluster') AND NOT (
    has_schema_privilege(oid, 'USAGE') AND has_schema_privilege(oid, 'CREATE') AND NOT EXISTS (
      SELECT FROM pg_class AS one WHERE one.relnamespace = pg_namespace.oid AND one.relkind = 'r' AND NOT (
        has_table_privilege(one.oid, 'SELECT') AND has_table_privilege(one.oid, 'INSERT')
        AND has_table_privilege(one.oid, 'UPDATE') AND has_table_privilege(one.oid, 'DELETE')
      )
    )
  ) ORDER BY nspname`;

const closedSchema = z.array(z.object({ name: z.string(), owner: z.string() }));

/** The error for rows of `CLOSED_SCHEMAS`; null if there are none. */
export function closedSchemas(rows: readonly unknown[]): ConfigError | null {
  const closed = closedSchema.parse(rows);
  if (closed.length === 0) return null;
  const names = closed.map(({ name }) => name).join(", ");
  const owners = [...new Set(closed.map(({ owner }) => owner))].join(", ");
  return new ConfigError([
    `DATABASE_URL: the schemas of DECKHAND_ENGINE=dbos (${names}) are owned by ${owners}, and this user has no access to them. Use the same user for all processes; or, while none is running, drop the schemas as ${owners}, because each start creates what is missing: DROP SCHEMA ${names} CASCADE.`,
  ]);
}

export const NO_SCHEMAS =
  "DATABASE_URL: DECKHAND_ENGINE=dbos creates two schemas (dbos, deckhand_cluster), but this user may not create any. As the database's owner or a superuser, run GRANT CREATE ON DATABASE … TO …; with the names in DATABASE_URL.";
