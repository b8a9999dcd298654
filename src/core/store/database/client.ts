import type { PrismaClient as PostgresClient } from "../../../../prisma/postgresql/generated/client.ts";
import type { Prisma, PrismaClient } from "../../../../prisma/sqlite/generated/client.ts";

/** The stores are written against SQLite's client; PostgreSQL's has the same models. */
export type DatabaseClient = PrismaClient;

/** What one transaction may use; a whole client serves for reads. */
export type Client = Prisma.TransactionClient;

/** A row of a table, as it is stored. */
export type Stored<Model extends Prisma.ModelName> = Prisma.TypeMap["model"][Model]["payload"]["scalars"];

/** The two generated clients come from the same models and differ in no option the stores use. */
export function asDatabaseClient(client: PostgresClient): DatabaseClient {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- two generated types, one shape
  return client as unknown as DatabaseClient;
}

/** A row as it is read; null where there is none. */
export function found<Row, Read>(row: Row | null, read: (row: Row) => Read): Read | null {
  return row === null ? null : read(row);
}

/**
 * A span of time as it is stored. PostgreSQL refuses what its integers do not hold, 25 days: a run may wait for people for
 * longer, and a clock that was years off is put right. Milliseconds.
 */
export function storedMs(ms: number): number {
  return Math.min(Math.max(0, Math.round(ms)), 2 ** 31 - 1);
}

/** How rows of one table get into it. */
interface Insertion<Row> {
  readonly one: (row: Row) => PromiseLike<unknown>;
  readonly many: (rows: Row[]) => PromiseLike<unknown>;
}

/**
 * Inserts rows by one statement, or by none. Prisma keeps the plan of a `create`; that of a `createMany` it makes anew
 * each time, which takes longer than all else about the statement.
 */
export async function insert<Row>(rows: readonly Row[], { one, many }: Insertion<Row>): Promise<void> {
  const [first, ...others] = rows;
  if (first === undefined) return;
  await (others.length === 0 ? one(first) : many([first, ...others]));
}
