import { ZodError } from "zod";
import type { PrismaClient as PostgresClient } from "../../../../prisma/postgresql/generated/client.ts";
import type { Prisma, PrismaClient } from "../../../../prisma/sqlite/generated/client.ts";

/** The client of either database. The stores are written against SQLite's; PostgreSQL's has the same models. */
export type DatabaseClient = PrismaClient;

/** What a transaction may use. A whole client also fits, for reads. */
export type Client = Prisma.TransactionClient;

/** A table row as stored. */
export type Stored<Model extends Prisma.ModelName> = Prisma.TypeMap["model"][Model]["payload"]["scalars"];

/** Options of both clients. Times in milliseconds. */
export const CLIENT_OPTIONS = {
  transactionOptions: { maxWait: 20_000, timeout: 20_000 },
  // Any other format reads the program's whole source for each error, even for expected ones.
  errorFormat: "minimal",
} as const;

/** PostgreSQL's client as SQLite's: both come from the same models and differ in no option the stores use. */
export function asDatabaseClient(client: PostgresClient): DatabaseClient {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- two generated types, one shape
  return client as unknown as DatabaseClient;
}

/** Reads a row; null if there is none. */
export function mapRow<Row, Read>(row: Row | null, read: (row: Row) => Read): Read | null {
  return row === null ? null : read(row);
}

/** Reads the rows of a list. One that cannot be read, as of a later version, is left out and does not hide the others. */
export function mapReadable<Row, Read>(rows: readonly Row[], read: (row: Row) => Read): Read[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (error instanceof ZodError || error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

/**
 * Clamps a duration to PostgreSQL's integer range, about 25 days. A longer one would be refused, and occurs when a run
 * waits for people that long or a clock that was years off is corrected. Milliseconds.
 */
export function storedMs(ms: number): number {
  return Math.min(Math.max(0, Math.round(ms)), 2 ** 31 - 1);
}

/** How rows are inserted into one table. */
interface Insertion<Row> {
  readonly one: (row: Row) => PromiseLike<unknown>;
  readonly many: (rows: Row[]) => PromiseLike<unknown>;
}

/**
 * Inserts all rows with one statement, if there are any. Prisma caches the plan of a `create` but plans each
 * `createMany` anew, which takes longer than the rest of the statement.
 */
export async function insert<Row>(rows: readonly Row[], { one, many }: Insertion<Row>): Promise<void> {
  const [first, ...others] = rows;
  if (first === undefined) return;
  await (others.length === 0 ? one(first) : many([first, ...others]));
}
