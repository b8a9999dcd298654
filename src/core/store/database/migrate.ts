import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { ConfigError, StoreError } from "../../protocol/errors.ts";
import type { Runtime } from "../../protocol/runtime.ts";
import { causeChain, systemCode } from "../../protocol/system-code.ts";
import { refusedMigration } from "./connection/postgresql-rights.ts";

const PRISMA = path.resolve(import.meta.dirname, "../../../../prisma");

/** Directories of this version's migrations, in `prisma/` beside `src/`. */
export const MIGRATIONS = {
  sqlite: path.join(PRISMA, "sqlite/migrations"),
  postgresql: path.join(PRISMA, "postgresql/migrations"),
} as const;

/** A plain connection that can run scripts. Values are positional; `placeholder` writes the n-th, from 1. */
export interface MigrationConnection {
  readonly kind: "sqlite" | "postgresql";
  script(sql: string): Promise<void>;
  rows(sql: string, values: readonly (string | Date)[]): Promise<readonly unknown[]>;
  placeholder(n: number): string;
  /** A point in time in the form that `_prisma_migrations` stores. */
  timestamp(ms: number): string | Date;
}

const appliedSchema = z.array(
  z.object({
    migration_name: z.string(),
    checksum: z.string(),
    /** In the form of each database; null if the migration failed partway. */
    finished_at: z.unknown(),
  }),
);
type AppliedMigrations = z.infer<typeof appliedSchema>;

/**
 * Applies the migrations of `directory` that the database lacks, compatibly with `prisma migrate deploy`: same table,
 * same checksums, so that either may run at any time. All run in one transaction, which ends with the connection, so
 * the database stays as it was if anything fails or the process is killed. Returns the names applied. Throws
 * ConfigError if the database has migrations that this version does not know, refuses one to its user, or its tables
 * stay locked by others for long. The caller closes the connection.
 */
export async function migrate(
  db: MigrationConnection,
  directory: string,
  runtime: Pick<Runtime, "clock" | "ids">,
): Promise<string[]> {
  if ((await pendingMigrations(db, directory)).length === 0) return [];
  const { clock } = runtime;
  for (const until = clock.now() + GIVE_UP_MS; ; ) {
    try {
      return await migrateAll(db, directory, runtime);
    } catch (error) {
      if (!causeChain(error).some((cause) => systemCode(cause) === LOCK_NOT_AVAILABLE)) throw error;
      if (clock.now() > until) throw new ConfigError([IN_USE]);
      await db.script("ROLLBACK");
      await clock.sleep(TRY_AGAIN_MS, new AbortController().signal);
    }
  }
}

async function migrateAll(
  db: MigrationConnection,
  directory: string,
  runtime: Pick<Runtime, "clock" | "ids">,
): Promise<string[]> {
  await db.script(BEGIN[db.kind]);
  if (db.kind === "postgresql") await db.script(SHORT_WAITS);
  // PostgreSQL demands the right to create a table even if it exists.
  if (!(await hasTable(db))) await db.script(MIGRATIONS_TABLE[db.kind]);
  // Another process may have applied some meanwhile.
  const pending = await pendingMigrations(db, directory);
  for (const migration of pending) await apply(db, migration, runtime);
  await db.script("COMMIT");
  return pending.map(({ name }) => name);
}

/** The migrations of `directory` that the database lacks, in order. Changes nothing. Throws as `migrate` does. */
export async function pendingMigrations(
  db: Pick<MigrationConnection, "kind" | "rows">,
  directory: string,
): Promise<MigrationFile[]> {
  const applied = (await hasTable(db)) ? appliedSchema.parse(await db.rows(APPLIED, [])) : [];
  const names = await migrationNames(directory);
  refuseNewer(applied, names);
  const pending: MigrationFile[] = [];
  for (const name of names) {
    const sql = await readFile(path.join(directory, name, "migration.sql"), "utf8");
    const checksum = hash("sha256", sql);
    if (!isApplied(applied, name, checksum)) pending.push({ name, sql, checksum });
  }
  return pending;
}

async function hasTable(db: Pick<MigrationConnection, "kind" | "rows">): Promise<boolean> {
  return (await db.rows(FIND_TABLE[db.kind], [])).length > 0;
}

async function migrationNames(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function refuseNewer(applied: AppliedMigrations, known: readonly string[]): void {
  const unknown = applied.find(({ migration_name: name }) => !known.includes(name))?.migration_name;
  if (unknown === undefined) return;
  throw new ConfigError([
    `DATABASE_URL: the database was written by a newer version of Deckhand (it has the migration ${unknown}). Start that version, or restore the backup from before it. Nothing was changed.`,
  ]);
}

function isApplied(applied: AppliedMigrations, name: string, checksum: string): boolean {
  const found = applied.find((migration) => migration.migration_name === name);
  if (found === undefined) return false;
  if (found.finished_at === null)
    throw new StoreError("defect", `migration ${name} failed partway earlier; restore a backup`);
  if (found.checksum !== checksum) throw new StoreError("defect", `migration ${name} differs from the one applied`);
  return true;
}

interface MigrationFile {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

async function apply(
  db: MigrationConnection,
  { name, sql, checksum }: MigrationFile,
  { clock, ids }: Pick<Runtime, "clock" | "ids">,
): Promise<void> {
  const at = () => db.timestamp(clock.now());
  const id = ids.next("mig");
  const startedAt = at();
  try {
    await db.script(sql);
  } catch (cause) {
    const refused = db.kind === "postgresql" ? refusedMigration(name, cause) : null;
    throw refused ?? new StoreError("defect", `migration ${name} failed; the database was not changed`, { cause });
  }
  const values = [id, checksum, name, startedAt, at()];
  const places = values.map((_, index) => db.placeholder(index + 1)).join(", ");
  await db.rows(
    `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "started_at", "finished_at", "applied_steps_count") VALUES (${places}, 1)`,
    values,
  );
}

const APPLIED =
  'SELECT "migration_name", "checksum", "finished_at" FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL';

/**
 * Changing a table waits for everyone who uses it, such as a dump for its whole duration, and everyone later queues
 * behind the change, which would stall processes of the previous version. So the change waits only briefly and is
 * retried later.
 */
const SHORT_WAITS = "SET LOCAL lock_timeout = '1s'";

/** Pause before the next try, for the others to proceed, and when the start gives up. Milliseconds. */
const TRY_AGAIN_MS = 3_000;
const GIVE_UP_MS = 30_000;

/** Source: PostgreSQL docs, PostgreSQL Error Codes. */
const LOCK_NOT_AVAILABLE = "55P03";

const IN_USE =
  "DATABASE_URL: another connection, for example a dump, keeps locks on tables that this version has to change. Start again once it has finished.";

/** The advisory lock that `prisma migrate` itself takes. Source: Prisma docs, “Advisory locking”. */
const MIGRATION_LOCK = 72_707_369;

/**
 * Begins the transaction, in one process at a time. A table that others refer to is rebuilt under the same name, so
 * SQLite must not check foreign keys until all is done. PostgreSQL's lock belongs to the transaction, not the session,
 * so that it works through a pooler.
 */
const BEGIN = {
  sqlite: "PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE",
  postgresql: `BEGIN; SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`,
} as const;

/** Returns a row if the table of migrations exists. */
const FIND_TABLE = {
  sqlite: `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_prisma_migrations'`,
  postgresql: `SELECT 1 WHERE to_regclass('"_prisma_migrations"') IS NOT NULL`,
} as const;

/** The table as `prisma migrate` creates it. */
const MIGRATIONS_TABLE = {
  sqlite: `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" TEXT PRIMARY KEY NOT NULL,
    "checksum" TEXT NOT NULL,
    "finished_at" DATETIME,
    "migration_name" TEXT NOT NULL,
    "logs" TEXT,
    "rolled_back_at" DATETIME,
    "started_at" DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0
  )`,
  postgresql: `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  )`,
} as const;
