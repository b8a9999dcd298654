import type { ClientBase } from "pg";

/** DBOS Transact's: it looks for work with one, and writes what begins and ends with the others. */
export const ENGINE_CONNECTIONS = 5;

/** How many connections past any pooler a process keeps: for its lease; or for its place among others, and DBOS Transact's. */
export const CONNECTIONS = { embedded: 1, dbos: 1 + ENGINE_CONNECTIONS } as const;

/** Connections that a process opens at most for all that is no lock or notification, where `connection_limit` says nothing. */
const POOLED = 10;

/** What `connection_limit` in the URL of a PostgreSQL says. */
export function connectionLimit(url: string): number {
  const said = new URL(url).searchParams.get("connection_limit");
  return said === null ? POOLED : Number(said);
}

/** What ends a transaction in which nothing is asked. */
const IDLE_LIMIT = "idle_in_transaction_session_timeout";

/** Somewhat less than the time after which processes take a silent one for dead. Milliseconds. */
const FROZEN_MS = 3_500;

interface PoolHooks {
  /** The pool waits for it before it gives a new connection to anybody. */
  readonly onConnect?: (connection: ClientBase) => Promise<void>;
}

/**
 * For connections of one of several processes: what it holds in a transaction while it is frozen, PostgreSQL frees. It is
 * said over the connection, since a pooler refuses it of one that opens. An operator's own limit in the URL stays.
 */
export function freedWhenFrozen(url: string): PoolHooks {
  if (url.includes(IDLE_LIMIT)) return {};
  return {
    onConnect: async (connection) => {
      await connection.query(`SET ${IDLE_LIMIT} = ${FROZEN_MS}`);
    },
  };
}
