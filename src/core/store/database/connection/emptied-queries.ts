import type { SqlQuery, SqlQueryable } from "@prisma/driver-adapter-utils";

/**
 * Prisma's adapters keep the last hundred statements, for reports of errors that nobody makes. Each is given to them as one that
 * has no values any more once it is carried out: these are what people have written, and may be megabytes.
 */
export function withEmptiedQueries<Q extends SqlQueryable>(queryable: Q): Q {
  const [queryRaw, executeRaw] = [queryable.queryRaw.bind(queryable), queryable.executeRaw.bind(queryable)];
  return Object.assign(queryable, {
    queryRaw: (query: SqlQuery) => emptied(query, queryRaw),
    executeRaw: (query: SqlQuery) => emptied(query, executeRaw),
  });
}

async function emptied<T>(query: SqlQuery, carryOut: (query: SqlQuery) => Promise<T>): Promise<T> {
  const given = { ...query };
  try {
    return await carryOut(given);
  } finally {
    given.args = [];
  }
}
