import type BetterSqlite3 from "better-sqlite3";
import { BoundedMap } from "../../bounded-map.ts";

/** Kept at once. What Prisma writes is a few hundred texts, but lists of values have one text for each length. */
const MOST_KEPT = 500;

/** What the driver adapter does with a statement. */
export interface Prepared {
  bind(values: readonly unknown[]): Bound;
  run(): BetterSqlite3.RunResult;
}

interface Bound {
  readonly reader: boolean;
  run(): BetterSqlite3.RunResult;
  columns(): readonly BetterSqlite3.ColumnDefinition[];
  raw(): { all(): unknown[] };
}

/**
 * Prepares each text once. The adapter prepares whatever it executes anew, which is more work for SQLite than the execution.
 * The driver binds values to a statement for good, so here they come with the execution instead.
 */
export function keepPrepared(prepare: (sql: string) => BetterSqlite3.Statement): (sql: string) => Prepared {
  const kept = new BoundedMap<string, Prepared>(MOST_KEPT);
  return (sql) => {
    const prepared = kept.get(sql) ?? reusable(prepare(sql));
    // Set anew with each use, so that the one that was used last is forgotten last.
    kept.set(sql, prepared);
    return prepared;
  };
}

function reusable(statement: BetterSqlite3.Statement): Prepared {
  const { reader } = statement;
  // Prisma names its columns, so they stay as they are.
  const columns = reader ? statement.columns() : [];
  if (reader) statement.raw();
  return {
    run: () => statement.run(),
    bind: (values) => ({
      reader,
      columns: () => columns,
      run: () => statement.run(values),
      raw: () => ({ all: () => statement.all(values) }),
    }),
  };
}
