import type { Client } from "pg";
import { ConfigError } from "../../protocol/errors.ts";
import { type Clock, sleepUnlessAborted } from "../../protocol/runtime.ts";
import { answerWithin } from "./answer-within.ts";
import { sqlitePath } from "./connection/database-url.ts";
import { idleLimit, type OpenConnection, openConnection } from "./connection/open-connection.ts";
import { unavailable } from "./connection/unavailable.ts";
import { closeSqliteFile, prepareSqliteFile } from "./sqlite-file.ts";

/**
 * The right to run sessions on a database, held by one process at a time. The system frees it when its holder dies. On
 * SQLite it is an exclusive lock on a file beside the database, on PostgreSQL an advisory lock of a dedicated
 * connection.
 */
export interface Lease {
  /** Resolves when the lease is gone without a release: the connection broke, or the database went silent. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

/** How often a stand-by tries again. Milliseconds. */
const RETRY_MS = 200;

/** A stand-by that gets no answer within this time reconnects. Milliseconds. */
const ANSWER_MS = 10_000;

/** How often the holder checks that PostgreSQL still answers, and how long an answer may take. Milliseconds. */
const HEARTBEAT = { everyMs: 5_000, withinMs: 20_000 };

export interface LeaseOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called once when another process holds the lease. */
  readonly standby: () => void;
}

/** One way of trying for the lease repeatedly. */
interface Candidate {
  /** Null while another process holds the lease. Rejects with ConfigError if the database cannot be opened. */
  attempt(): Promise<Lease | null>;
  /** Releases what an attempt keeps for the next one. */
  giveUp?(): Promise<void>;
}

/**
 * Resolves once this process holds the lease. Rejects with the signal's reason if that aborts first, and with
 * ConfigError if the database cannot be opened. Once it stands by, the process also waits for a database that has gone
 * away.
 */
export async function acquireLease({ url, clock, signal, standby }: LeaseOptions): Promise<Lease> {
  const isFile = url.startsWith("file:");
  const candidate: Candidate = isFile ? { attempt: () => trySqlite(url) } : postgresqlCandidate(url, clock);
  let standsBy = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const lease = await candidate.attempt().catch((error: unknown) => {
        if (standsBy && error instanceof ConfigError) return null;
        throw error;
      });
      if (lease !== null) return lease;
      if (!standsBy) standby();
      standsBy = true;
      await clock.sleep(RETRY_MS, signal);
    }
  } catch (error) {
    await candidate.giveUp?.();
    throw error;
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
    throw unavailable(url, error);
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
  try {
    await prepareSqliteFile(url);
    const opened = open(`${sqlitePath(url)}.lease`);
    await closeSqliteFile(url);
    return opened;
  } catch (error) {
    throw unavailable(url, error);
  }
}

/** An arbitrary number that no other advisory lock uses. Processes sharing the database hold it in shared mode. */
export const LEASE_LOCK = 4_207_133_700;

/**
 * PostgreSQL frees the lock of a vanished machine once it notices: after two hours by default, and after half a minute
 * with these settings of the connection. Seconds.
 */
const NOTICE_DEAD_HOLDER =
  "SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3";

/** Keeps one connection between attempts, because the lock belongs to it. */
function postgresqlCandidate(url: string, clock: Clock): Candidate {
  let session: OpenConnection | null = null;
  return {
    async attempt() {
      try {
        session ??= await openConnection(url, { settings: [idleLimit(0), NOTICE_DEAD_HOLDER] });
        const asked = session.connection.query(`SELECT pg_try_advisory_lock(${LEASE_LOCK}) AS held`);
        // A stand-by may wait for days, and a network that drops all packets meanwhile breaks no connection.
        const { rows } = await answerWithin(ANSWER_MS, asked, clock);
        return rows[0]?.held === true ? postgresqlLease(session, clock) : null;
      } catch (error) {
        session?.connection.end().catch(() => {}); // It is of no use any more.
        session = null;
        throw unavailable(url, error);
      }
    },
    giveUp: async () => session?.connection.end(),
  };
}

function postgresqlLease({ connection, broken }: OpenConnection, clock: Clock): Lease {
  const released = new AbortController();
  return {
    lost: Promise.race([broken, connectionLoss(connection, clock, released.signal)]),
    release: () => {
      released.abort();
      return connection.end();
    },
  };
}

/** Resolves when PostgreSQL no longer answers, since a network that drops all packets breaks no connection. */
async function connectionLoss(connection: Client, clock: Clock, released: AbortSignal): Promise<void> {
  for (let alive = true; alive; ) {
    if (!(await sleepUnlessAborted(clock, HEARTBEAT.everyMs, released))) return;
    alive = await answerWithin(HEARTBEAT.withinMs, connection.query("SELECT 1"), clock).then(
      () => true,
      () => false,
    );
  }
}
