import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../protocol/runtime.ts";
import { sqlitePath } from "./database-url.ts";
import { unavailable } from "./unavailable.ts";

/**
 * The right to run sessions on a database, held by one process at a time. The system frees it when
 * its holder dies: on SQLite it is an exclusive lock held in a file beside the database, on PostgreSQL
 * an advisory lock of an own connection.
 */
export interface Lease {
  /** Resolves when the lease is gone without a release (the connection broke). */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

/** How often a stand-by tries again. Milliseconds. */
const RETRY_MS = 200;

/** A PostgreSQL that takes longer to answer counts as unreachable. Milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface LeaseOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called once when another process holds the lease. */
  readonly standby: () => void;
}

/**
 * Resolves once this process holds the lease; rejects with the signal's reason when it aborts first, and
 * with ConfigError when there is no database to be had.
 */
export async function acquireLease({ url, clock, signal, standby }: LeaseOptions): Promise<Lease> {
  const attempt = url.startsWith("file:") ? () => trySqlite(url) : () => tryPostgresql(url);
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    const lease = await attempt();
    if (lease !== null) return lease;
    if (tries === 0) standby();
    await clock.sleep(RETRY_MS, signal);
  }
}

async function trySqlite(url: string): Promise<Lease | null> {
  const { default: BetterSqlite3 } = await import("better-sqlite3");
  const connection = await openFile(url, (file) => new BetterSqlite3(file, { timeout: 0 }));
  try {
    connection.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    if (error instanceof BetterSqlite3.SqliteError && error.code.startsWith("SQLITE_BUSY")) return null;
    throw error;
  }
  return {
    lost: new Promise(() => {}),
    release: () => {
      connection.close();
      return Promise.resolve();
    },
  };
}

async function openFile<T>(url: string, open: (file: string) => T): Promise<T> {
  const database = sqlitePath(url);
  try {
    await mkdir(path.dirname(database), { recursive: true });
    return open(`${database}.lease`);
  } catch (error) {
    throw unavailable(url, error);
  }
}

/** Any number that no other use of advisory locks in the database takes. */
const POSTGRES_LOCK = 4_207_133_700;

async function tryPostgresql(url: string): Promise<Lease | null> {
  const { default: pg } = await import("pg");
  const connection = new pg.Client({
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  const lost = new Promise<void>((resolve) => {
    connection.once("error", () => resolve());
    connection.once("end", () => resolve());
  });
  try {
    await connection.connect();
  } catch (error) {
    throw unavailable(url, error);
  }
  const { rows } = await connection.query(`SELECT pg_try_advisory_lock(${POSTGRES_LOCK}) AS held`);
  if (rows[0]?.held === true) return { lost, release: () => connection.end() };
  await connection.end();
  return null;
}
