/** How many connections past any pooler a process keeps: for its lease; or among other processes, and DBOS Transact's. */
export const CONNECTIONS = { embedded: 1, dbos: 6 } as const;

/** Connections that a process opens at most for all that is no lock or notification, where `connection_limit` says nothing. */
const POOLED = 10;

/** What `connection_limit` in the URL of a PostgreSQL says. */
export function connectionLimit(url: string): number {
  const said = new URL(url).searchParams.get("connection_limit");
  return said === null ? POOLED : Number(said);
}
