import { PrismaPg } from "@prisma/adapter-pg";
import type { SqlQuery, SqlQueryable } from "@prisma/driver-adapter-utils";
import type { Client } from "pg";
import { PrismaClient } from "../../../../prisma/postgresql/generated/client.ts";
import { toConnectionLost } from "../../protocol/database-failure.ts";
import type { Runtime } from "../../protocol/runtime.ts";
import { asDatabaseClient, CLIENT_OPTIONS, type DatabaseClient } from "./client.ts";
import { connectionLimit, freedWhenFrozen } from "./connection/connections.ts";
import { openConnection } from "./connection/open-connection.ts";
import { requireRights } from "./connection/postgresql-rights.ts";
import { resolveSslMode } from "./connection/ssl-mode.ts";
import { NOTICES_VANISHED } from "./connection/watched-socket.ts";
import { type MigrationConnection, migrate, pendingMigrations } from "./migrate.ts";

interface PostgresqlUse {
  readonly url: string;
  /** Whether other processes wait for what this one holds, even while it is frozen. */
  readonly isShared?: boolean;
}

/** Applies migrations, in one process at a time, and opens a pooled client. ConfigError if the user lacks a right. */
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
  const adapter = new NamedErrorsPg({
    connectionString: await resolveSslMode(url),
    max: connectionLimit(url),
    ...NOTICES_VANISHED,
    ...(isShared ? freedWhenFrozen(url) : {}),
  });
  return asDatabaseClient(new PrismaClient({ adapter, ...CLIENT_OPTIONS }));
}

/** Renames the errors of broken connections, so that the code that catches them sees that the database is the cause. */
class NamedErrorsPg extends PrismaPg {
  override async connect() {
    const adapter = await super.connect();
    const start = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel) => releasingArguments(await named(start(isolationLevel)));
    return releasingArguments(adapter);
  }
}

function releasingArguments<Q extends SqlQueryable>(queryable: Q): Q {
  const [queryRaw, executeRaw] = [queryable.queryRaw.bind(queryable), queryable.executeRaw.bind(queryable)];
  return Object.assign(queryable, {
    queryRaw: (query: SqlQuery) => emptied(query, queryRaw),
    executeRaw: (query: SqlQuery) => emptied(query, executeRaw),
  });
}

/**
 * Prisma's adapters keep the last hundred statements for error reports that nobody makes. Each statement's values are
 * removed once it has run, because they are what people wrote and may be megabytes.
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
    throw toConnectionLost(error);
  }
}

/**
 * Prisma begins first migrations with this statement, which is removed: it needs the right to create schemas even if
 * this one exists, and the schema of the tables is known to exist.
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
