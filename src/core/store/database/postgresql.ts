import { PrismaPg } from "@prisma/adapter-pg";
import type { SqlQuery, SqlQueryable } from "@prisma/driver-adapter-utils";
import type { Client } from "pg";
import { PrismaClient } from "../../../../prisma/postgresql/generated/client.ts";
import { namedFailure } from "../../protocol/database-failure.ts";
import type { Runtime } from "../../protocol/runtime.ts";
import { asDatabaseClient, type DatabaseClient } from "./client.ts";
import { connectionLimit, freedWhenFrozen } from "./connection/connections.ts";
import { openConnection } from "./connection/open-connection.ts";
import { requireRights } from "./connection/postgresql-rights.ts";
import { settledUrl } from "./connection/settled-url.ts";
import { NOTICES_VANISHED } from "./connection/watched-socket.ts";
import { type MigrationConnection, migrate, pendingMigrations } from "./migrate.ts";

interface PostgresqlUse {
  readonly url: string;
  /** Others wait for what this process holds, also while it is frozen. */
  readonly isShared?: boolean;
}

/** Applies migrations, one process at a time, and opens a pooled client. ConfigError when the user may not. */
export async function openPostgresql(
  { url, isShared = false }: PostgresqlUse,
  migrations: string,
  runtime: Runtime,
): Promise<DatabaseClient> {
  const { connection } = await openConnection(url);
  try {
    const database = postgresMigrations(connection);
    await requireRights(connection, () => pendingMigrations(database, migrations));
    await migrate(database, migrations, runtime);
  } finally {
    await connection.end();
  }
  const client = new PrismaClient({
    adapter: new TellingPg({
      connectionString: await settledUrl(url),
      max: connectionLimit(url),
      ...NOTICES_VANISHED,
      ...(isShared ? freedWhenFrozen(url) : {}),
    }),
    transactionOptions: { maxWait: 20_000, timeout: 20_000 },
    // Any other form reads the program's whole source for each error, expected ones among them.
    errorFormat: "minimal",
  });
  return asDatabaseClient(client);
}

/** Names the errors of connections that break, so that whoever meets them knows the database for their cause. */
class TellingPg extends PrismaPg {
  override async connect() {
    const adapter = await super.connect();
    const start = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel) => telling(await named(start(isolationLevel)));
    return telling(adapter);
  }
}

function telling<Q extends SqlQueryable>(queryable: Q): Q {
  const [queryRaw, executeRaw] = [queryable.queryRaw.bind(queryable), queryable.executeRaw.bind(queryable)];
  return Object.assign(queryable, {
    queryRaw: (query: SqlQuery) => emptied(query, queryRaw),
    executeRaw: (query: SqlQuery) => emptied(query, executeRaw),
  });
}

/**
 * Prisma's adapters keep the last hundred statements, for reports of errors that nobody makes. Each is given to them as one that
 * has no values any more once it is carried out: these are what people have written, and may be megabytes.
 */
async function emptied<T>(query: SqlQuery, carryOut: (query: SqlQuery) => Promise<T>): Promise<T> {
  const given = { ...query };
  try {
    return await named(carryOut(given));
  } finally {
    given.args = [];
  }
}

async function named<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw namedFailure(error);
  }
}

/**
 * Prisma begins first migrations with it. It wants the right to create schemas even where this one is there, and
 * tables go to a schema that is known to be.
 */
const MAKE_SCHEMA = /^CREATE SCHEMA IF NOT EXISTS "public";$/mu;

function postgresMigrations(connection: Client): MigrationConnection {
  return {
    kind: "postgresql",
    script: async (sql) => {
      await connection.query(sql.replace(MAKE_SCHEMA, ""));
    },
    rows: async (sql, values) => (await connection.query(sql, [...values])).rows,
    placeholder: (n) => `$${n}`,
    timestamp: (ms) => new Date(ms),
  };
}
