import type { ClientBase } from "pg";

/** DBOS Transact's connections: one looks for work, the others write when workflows begin and end. */
export const ENGINE_CONNECTIONS = 5;

/** Connections that bypass any pooler: one for the lease or the cluster membership, and those of DBOS Transact. */
export const CONNECTIONS = { embedded: 1, dbos: 1 + ENGINE_CONNECTIONS } as const;

/** Default of `connection_limit`: the most connections a process opens for everything but locks and notifications. */
const POOLED = 10;

/** The `connection_limit` of a PostgreSQL URL, or its default. */
export function connectionLimit(url: string): number {
  const configured = new URL(url).searchParams.get("connection_limit");
  return configured === null ? POOLED : Number(configured);
}

/** PostgreSQL setting that ends a transaction in which no statement arrives for too long. */
const IDLE_LIMIT = "idle_in_transaction_session_timeout";

/** Slightly less than the time after which processes declare a silent one dead. Milliseconds. */
const FROZEN_MS = 3_500;

interface PoolHooks {
  /** The pool awaits this before it hands out a new connection. */
  readonly onConnect?: (connection: ClientBase) => Promise<void>;
}

/**
 * For a process that shares the database: PostgreSQL frees what this process holds in a transaction once it freezes.
 * Set by a statement, because poolers refuse it as a startup parameter. An operator's own limit in the URL stays.
 */
export function freedWhenFrozen(url: string): PoolHooks {
  if (url.includes(IDLE_LIMIT)) return {};
  return {
    onConnect: async (connection) => {
      await connection.query(`SET ${IDLE_LIMIT} = ${FROZEN_MS}`);
    },
  };
}
