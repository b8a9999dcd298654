import { z } from "zod";
import { ConfigError } from "../../protocol/errors.ts";
import type { Log } from "../../protocol/log.ts";
import type { Clock } from "../../protocol/runtime.ts";
import { answerWithin } from "../database/answer-within.ts";
import { idleLimit, openConnection } from "../database/connection/open-connection.ts";
import { isRefusal, NO_SCHEMAS } from "../database/connection/postgresql-rights.ts";
import { unavailable } from "../database/connection/unavailable.ts";
import { LEASE_LOCK } from "../database/lease.ts";

/** A connection of its own: locks and notifications belong to one. */
export interface ClusterConnection {
  /** One after the other. Waits for its answer, and for those before it, for as long as the connection stands. */
  readonly query: (
    sql: string,
    values?: readonly (string | number | boolean | readonly string[] | readonly number[])[],
  ) => Promise<readonly unknown[]>;
  /**
   * Resolves once no process runs all sessions of the database alone; none can from then on, as long as the connection is
   * there. `standBy` is called once where one does. Rejects with the signal's reason when it aborts first, and with
   * ConnectionLost where nobody answers any more.
   */
  share(clock: Pick<Clock, "sleep">, signal: AbortSignal, standBy: () => void): Promise<void>;
  /** Hears what any process tells from now on: at most once, and nothing of what was told before or is lost. */
  hear(listener: (told: string) => void): Promise<void>;
  /** Tells all processes that hear, this one among them. */
  tell(what: string): Promise<void>;
  close(): Promise<void>;
  /** Resolves when it is no more, whoever ended it. */
  readonly broken: Promise<void>;
}

/** What tables of the cluster are kept with. */
export interface RowsScope {
  readonly connection: Pick<ClusterConnection, "query">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whoever waits for another process and is not answered for so long has lost the database. Milliseconds. */
const STAND_BY_ANSWER_MS = 10_000;

/** What this connection writes is lost with the server at worst, which ends all processes that it is about. */
const NO_FLUSH = "SET synchronous_commit = off";

/** The server notices within a few seconds that a machine has vanished, and frees its locks. Seconds; milliseconds. */
const NOTICE_VANISHED =
  "SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 4000";

/** Whoever waits here has limits of its own: an operator's would end the process with the first statement that is late. */
const NO_LIMITS = "SET statement_timeout = 0; SET lock_timeout = 0";

/** Where processes tell each other what is in the database already. */
const CHANNEL = "deckhand_cluster";

/** Any number that no other use of advisory locks in the database takes. */
const SETUP_LOCK = 4_207_133_701;

/**
 * What the cluster keeps, which no other engine has: its rows are of processes, not of what people did. Releases run beside
 * one another: a column that comes later has a default.
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

/** Columns that the table of processes had not from the beginning. */
const REPLICA_COLUMNS: Readonly<Record<string, string>> = {
  facts: "jsonb NOT NULL DEFAULT '{}'",
  state: "jsonb NOT NULL DEFAULT '{}'",
  draining: "boolean NOT NULL DEFAULT false",
  joined: "bigint GENERATED ALWAYS AS IDENTITY",
};

const LACKING = `SELECT wanted AS name FROM unnest($1::text[]) AS wanted WHERE wanted NOT IN (
  SELECT attname FROM pg_attribute WHERE attrelid = 'deckhand_cluster.replica'::regclass AND NOT attisdropped)`;

export async function openClusterConnection(url: string): Promise<ClusterConnection> {
  const { connection: client, broken } = await openConnection(url, { application_name: "deckhand cluster" });
  try {
    await client.query(idleLimit(0));
    await client.query(NOTICE_VANISHED);
    await client.query(NO_FLUSH);
    await client.query(NO_LIMITS);
  } catch (error) {
    throw unavailable(url, error);
  }
  let last: Promise<unknown> = Promise.resolve();
  const query: ClusterConnection["query"] = (text, values = []) => {
    const answer = last.then(async (): Promise<readonly unknown[]> => (await client.query(text, [...values])).rows);
    last = answer.catch(() => undefined);
    return answer;
  };
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
    close: () => client.end().catch(() => undefined), // it may be broken already
    hear: async (listener) => {
      client.on("notification", ({ payload = "" }) => listener(payload));
      await query(`LISTEN ${CHANNEL}`);
    },
    tell: async (what) => {
      await query("SELECT pg_notify($1, $2)", [CHANNEL, what]);
    },
  };
}

/** A start says so often that it goes on that a process which has said nothing for so long is frozen in it. Milliseconds. */
const SETUP_FROZEN_MS = 20_000;

/**
 * Makes the cluster's tables and whatever else a start makes, one process after the other. Whoever freezes meanwhile
 * loses its connection, and so its turn, after `frozenMs`.
 */
export async function setUpCluster<T>(
  connection: ClusterConnection,
  { clock, frozenMs = SETUP_FROZEN_MS }: { readonly clock: Pick<Clock, "sleep">; readonly frozenMs?: number },
  setUp: () => Promise<T>,
): Promise<T> {
  await connection.query(idleLimit(frozenMs));
  // Asked for again and again: a statement that waits would keep whoever has the lock from making indexes concurrently.
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
 * Only where some are lacking: to add one, even one that is there, waits for whoever reads the table, as a dump does to its
 * end, and has everybody else's beats wait behind it.
 */
async function addColumns({ query }: ClusterConnection): Promise<void> {
  const rows = await query(LACKING, [Object.keys(REPLICA_COLUMNS)]);
  const lacking = z.array(z.object({ name: z.string() })).parse(rows);
  if (lacking.length === 0) return;
  const added = lacking.map(({ name }) => `ADD COLUMN IF NOT EXISTS ${name} ${REPLICA_COLUMNS[name]}`);
  await query(`ALTER TABLE deckhand_cluster.replica ${added.join(", ")}`);
}

/** How often a process asks whether it is its turn. Milliseconds. */
const SETUP_RETRY_MS = 50;

const TAKE_SETUP = `SELECT pg_try_advisory_lock(${SETUP_LOCK}) AS held`;
const SHARE_LEASE = `SELECT pg_try_advisory_lock_shared(${LEASE_LOCK}) AS held`;

async function holds({ query }: Pick<ClusterConnection, "query">, sql: string): Promise<boolean> {
  const [row] = await query(sql);
  return z.object({ held: z.boolean() }).parse(row).held;
}
