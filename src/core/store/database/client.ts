import type { PrismaClient as PostgresClient } from "../../../../prisma/postgresql/generated/client.ts";
import type { Prisma, PrismaClient } from "../../../../prisma/sqlite/generated/client.ts";

/** The stores are written against SQLite's client; PostgreSQL's has the same models. */
export type DatabaseClient = PrismaClient;

/** What one transaction may use; a whole client serves for reads. */
export type Client = Prisma.TransactionClient;

/** The two generated clients come from the same models and differ in no option the stores use. */
export function asDatabaseClient(client: PostgresClient): DatabaseClient {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- two generated types, one shape
  return client as unknown as DatabaseClient;
}
