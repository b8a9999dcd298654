import { existsSync } from "node:fs";
import { z } from "zod";
import { AppError } from "../protocol/errors.ts";
import { sqlitePath } from "./database/connection/database-url.ts";
import { openConnection } from "./database/connection/open-connection.ts";
import { requireRights } from "./database/connection/postgresql-rights.ts";
import { unavailable } from "./database/connection/unavailable.ts";
import { MIGRATIONS, pendingMigrations } from "./database/migrate.ts";
import { checkSqliteFile, openSqliteFile } from "./database/sqlite-file.ts";
import type { KnownWorkspace } from "./known-workspaces.ts";

/** A database that does not answer within this time counts as unreachable. Milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Resolves if a start could use the database, and changes nothing in it. A missing SQLite file is fine, because the
 * start creates it. Rejects with ConfigError if the operator must mend DATABASE_URL or the database, and with
 * StoreError if the database does not suit this version.
 */
export function probeDatabase(url: string): Promise<ProbeResult> {
  return url.startsWith("file:") ? probeSqlite(url) : probePostgresql(url);
}

export interface ProbeResult {
  /** Whether the database exists and has this version's tables. */
  readonly isCurrent: boolean;
  readonly sessions: number;
  /** Workspaces that are not served, from which something has arrived. */
  readonly unservedWorkspaces: readonly Pick<KnownWorkspace, "id" | "name">[];
}

const workspacesSchema = z.array(z.object({ id: z.string(), name: z.string() }));

type Rows = (sql: string) => Promise<readonly object[]>;

async function lookInto(rows: Rows, kind: keyof typeof MIGRATIONS): Promise<ProbeResult> {
  const pending = await pendingMigrations({ kind, rows }, MIGRATIONS[kind]);
  const sessions = pending.some(({ name }) => name.endsWith(FIRST)) ? 0 : await countSessions(rows);
  if (pending.length > 0) return { isCurrent: false, sessions, unservedWorkspaces: [] };
  const unserved = await rows('SELECT "id", "name" FROM "KnownWorkspace" WHERE NOT "isServed" ORDER BY "at"');
  return { isCurrent: true, sessions, unservedWorkspaces: workspacesSchema.parse(unserved) };
}

/** Ending of the migration that creates the table of sessions. */
const FIRST = "_init";

async function countSessions(rows: Rows): Promise<number> {
  const counted = await rows('SELECT count(*) AS "count" FROM "Session"');
  return z.tuple([z.object({ count: z.coerce.number() })]).parse(counted)[0].count;
}

async function probeSqlite(url: string): Promise<ProbeResult> {
  await checkSqliteFile(url);
  if (!existsSync(sqlitePath(url))) return { isCurrent: false, sessions: 0, unservedWorkspaces: [] };
  const database = await openSqliteFile(url, { readonly: true }, (opened) =>
    opened.prepare("SELECT count(*) FROM sqlite_master").get(),
  );
  try {
    return await lookInto((sql) => Promise.resolve(database.prepare<[], object>(sql).all()), "sqlite");
  } finally {
    database.close();
  }
}

async function probePostgresql(url: string): Promise<ProbeResult> {
  const { connection } = await openConnection(url, { connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    const rows = async (sql: string) => (await connection.query(sql)).rows;
    await requireRights(connection, () => pendingMigrations({ kind: "postgresql", rows }, MIGRATIONS.postgresql));
    return await lookInto(rows, "postgresql");
  } catch (error) {
    throw error instanceof AppError ? error : unavailable(url, error);
  } finally {
    await connection.end();
  }
}
