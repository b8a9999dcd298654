import { z } from "zod";
import { KeyedMutex } from "../../keyed-mutex.ts";
import { ConfigError } from "../../protocol/errors.ts";
import type { Log } from "../../protocol/log.ts";
import type { Clock } from "../../protocol/runtime.ts";
import { answerWithin } from "../database/answer-within.ts";
import { idleLimit, openConnection } from "../database/connection/open-connection.ts";
import { isRefusal, NO_SCHEMAS } from "../database/connection/postgresql-rights.ts";
import { LEASE_LOCK } from "../database/lease.ts";

/** A dedicated connection, because advisory locks and notifications belong to one connection. */
export interface ClusterConnection {
  /** Queries run one after another; each waits for its turn and its answer for as long as the connection lasts. */
  readonly query: (
    sql: string,
    values?: readonly (string | number | boolean | readonly string[] | readonly number[])[],
  ) => Promise<readonly unknown[]>;
  /**
   * Resolves once no process runs all sessions of the database alone; from then on none can, for as long as this
   * connection lasts. Calls `standBy` once if such a process exists. Rejects with the signal's reason if that aborts
   * first, and with ConnectionLost if the database stops answering.
   */
  share(clock: Clock, signal: AbortSignal, standBy: () => void): Promise<void>;
  /** Subscribes to what any process publishes from now on. Delivered at most once; what is lost is not repeated. */
  subscribe(listener: (payload: string) => void): Promise<void>;
  /** Notifies all subscribed processes, this one included. */
  publish(what: string): Promise<void>;
  close(): Promise<void>;
  /** Resolves when the connection has ended, whichever side ended it. */
  readonly broken: Promise<void>;
}

/** The connection of those that only query. */
export type QueryConnection = Pick<ClusterConnection, "query">;

/** What the classes that keep tables of the cluster work with. */
export interface RowsScope {
  readonly connection: QueryConnection;
  readonly clock: Clock;
  readonly log: Log;
}

/** The same for those whose rows name the process. */
export interface ReplicaScope extends RowsScope {
  /** This process's id in the cluster. */
  readonly id: string;
}

/** If the database does not answer a stand-by within this time, the connection counts as lost. Milliseconds. */
const STAND_BY_ANSWER_MS = 10_000;

/** A crash of the server may lose this connection's writes, but also disconnects all processes concerned. */
const NO_FLUSH = "SET synchronous_commit = off";

/** Has the server notice a vanished machine within seconds and free its locks. Seconds; the last in milliseconds. */
const NOTICE_VANISHED =
  "SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 4000";

/** Waits here have their own limits; an operator's would end the process with the first late statement. */
const NO_LIMITS = "SET statement_timeout = 0; SET lock_timeout = 0";

/** Notification channel over which processes tell each other what is already in the database. */
const CHANNEL = "deckhand_cluster";

/** An arbitrary number that no other advisory lock in the database uses. */
const SETUP_LOCK = 4_207_133_701;

/**
 * Tables that only the engine of several processes needs; their rows describe processes, not what people did. Releases
 * run side by side, so a column added later needs a default.
 */
const TABLES = [
  "CREATE SCHEMA IF NOT EXISTS deckhand_cluster",
  "CREATE TABLE IF NOT EXISTS deckhand_cluster.replica (id text PRIMARY KEY, beat timestamptz NOT NULL)",
  "CREATE TABLE IF NOT EXISTS deckhand_cluster.role (name text PRIMARY KEY, replica text NOT NULL)",
  "CREATE TABLE IF NOT EXISTS deckhand_cluster.rate (name text PRIMARY KEY, full_at timestamptz NOT NULL, is_taken boolean NOT NULL)",
  "CREATE TABLE IF NOT EXISTS deckhand_cluster.gateway_session (role text PRIMARY KEY, session jsonb NOT NULL)",
  "CREATE TABLE IF NOT EXISTS deckhand_cluster.lock (name text PRIMARY KEY, replica text NOT NULL)",
  `CREATE TABLE IF NOT EXISTS deckhand_cluster.lock_wait
     (name text, replica text, place bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (name, replica))`,
  "CREATE TABLE IF NOT EXISTS deckhand_cluster.growth (day date, key text, bytes bigint NOT NULL, PRIMARY KEY (day, key))",
  "CREATE TABLE IF NOT EXISTS deckhand_cluster.given_root (root text PRIMARY KEY, bytes bigint NOT NULL)",
];

/** Columns of the replica table that were added after its first release. */
const REPLICA_COLUMNS: Readonly<Record<string, string>> = {
  facts: "jsonb NOT NULL DEFAULT '{}'",
  state: "jsonb NOT NULL DEFAULT '{}'",
  draining: "boolean NOT NULL DEFAULT false",
  joined: "bigint GENERATED ALWAYS AS IDENTITY",
};

const LACKING = `SELECT wanted AS name FROM unnest($1::text[]) AS wanted WHERE wanted NOT IN (
  SELECT attname FROM pg_attribute WHERE attrelid = 'deckhand_cluster.replica'::regclass AND NOT attisdropped)`;

export async function openClusterConnection(url: string): Promise<ClusterConnection> {
  const settings = [idleLimit(0), NOTICE_VANISHED, NO_FLUSH, NO_LIMITS];
  const { connection: client, broken } = await openConnection(url, { application_name: "deckhand cluster", settings });
  const statements = new KeyedMutex();
  const query: ClusterConnection["query"] = (text, values = []) =>
    statements.run("statements", async (): Promise<readonly unknown[]> => (await client.query(text, [...values])).rows);
  return {
    broken,
    query,
    async share(clock, signal, standBy) {
      const isShared = () => answerWithin(STAND_BY_ANSWER_MS, holds({ query }, SHARE_LEASE), clock);
      for (let isFirst = true; !(await isShared()); isFirst = false) {
        if (isFirst) standBy();
        await clock.sleep(SETUP_RETRY_MS, signal);
      }
    },
    close: () => client.end().catch(() => undefined), // It may already be broken.
    subscribe: async (listener) => {
      client.on("notification", ({ payload = "" }) => listener(payload));
      await query(`LISTEN ${CHANNEL}`);
    },
    publish: async (what) => {
      await query("SELECT pg_notify($1, $2)", [CHANNEL, what]);
    },
  };
}

/** A start writes so often that a process which is silent for this long during it is frozen. Milliseconds. */
const SETUP_FROZEN_MS = 20_000;

/**
 * Creates the cluster's tables and runs `setUp`, in one process at a time. A process that freezes meanwhile loses its
 * connection, and so its turn, after `frozenMs`.
 */
export async function setUpCluster<T>(
  connection: ClusterConnection,
  { clock, frozenMs = SETUP_FROZEN_MS }: { readonly clock: Pick<Clock, "sleep">; readonly frozenMs?: number },
  setUp: () => Promise<T>,
): Promise<T> {
  await connection.query(idleLimit(frozenMs));
  // Polled, because a statement waiting for the lock would keep the holder from creating indexes concurrently.
  while (!(await holds(connection, TAKE_SETUP))) await clock.sleep(SETUP_RETRY_MS, new AbortController().signal);
  try {
    for (const table of TABLES) await connection.query(table);
    await addColumns(connection);
    return await setUp();
  } catch (error) {
    if (isRefusal(error)) throw new ConfigError([NO_SCHEMAS]);
    throw error;
  } finally {
    await connection.query(`SELECT pg_advisory_unlock(${SETUP_LOCK})`);
    await connection.query(idleLimit(0));
  }
}

/**
 * Adds the missing columns. Runs ALTER TABLE only if some are missing, because even ADD COLUMN IF NOT EXISTS waits for
 * every reader of the table, such as a dump until it ends, while the other processes' heartbeats queue behind it.
 */
async function addColumns({ query }: ClusterConnection): Promise<void> {
  const rows = await query(LACKING, [Object.keys(REPLICA_COLUMNS)]);
  const lacking = z.array(z.object({ name: z.string() })).parse(rows);
  if (lacking.length === 0) return;
  const added = lacking.map(({ name }) => `ADD COLUMN IF NOT EXISTS ${name} ${REPLICA_COLUMNS[name]}`);
  await query(`ALTER TABLE deckhand_cluster.replica ${added.join(", ")}`);
}

/** Polling interval while waiting for another process. Milliseconds. */
const SETUP_RETRY_MS = 50;

const TAKE_SETUP = `SELECT pg_try_advisory_lock(${SETUP_LOCK}) AS held`;
const SHARE_LEASE = `SELECT pg_try_advisory_lock_shared(${LEASE_LOCK}) AS held`;

async function holds({ query }: QueryConnection, sql: string): Promise<boolean> {
  const [row] = await query(sql);
  return z.object({ held: z.boolean() }).parse(row).held;
}
