import { PrismaPg } from "@prisma/adapter-pg";
import { Client } from "pg";
import { PrismaClient } from "../../../prisma/postgresql/generated/client.ts";
import type { Runtime } from "../protocol/runtime.ts";
import { asDatabaseClient, type DatabaseClient } from "./client.ts";
import { type MigrationConnection, migrate } from "./migrate.ts";

/** The advisory lock that `prisma migrate` itself takes. Source: Prisma docs, “Advisory locking”. */
const MIGRATION_LOCK = 72_707_369;

/** Applies migrations under an advisory lock and opens a pooled client. */
export async function openPostgresql(url: string, migrations: string, runtime: Runtime): Promise<DatabaseClient> {
  const connection = new Client({ connectionString: url });
  // The query that a break cuts off rejects; the event, without a listener, would end the process.
  connection.on("error", () => {});
  await connection.connect();
  try {
    await connection.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    await migrate(postgresMigrations(connection), migrations, runtime);
  } finally {
    await connection.end();
  }
  const client = new PrismaClient({
    adapter: new PrismaPg({ connectionString: url, max: 10 }),
    transactionOptions: { maxWait: 20_000, timeout: 20_000 },
  });
  return asDatabaseClient(client);
}

function postgresMigrations(connection: Client): MigrationConnection {
  return {
    kind: "postgresql",
    script: async (sql) => {
      await connection.query(sql);
    },
    rows: async (sql, values) => (await connection.query(sql, [...values])).rows,
    placeholder: (n) => `$${n}`,
    timestamp: (ms) => new Date(ms),
  };
}
