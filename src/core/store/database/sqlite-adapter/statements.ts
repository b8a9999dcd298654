import type { ColumnType, SqlQuery, SqlResultSet } from "@prisma/driver-adapter-utils";
import type BetterSqlite3 from "better-sqlite3";
import { BoundedMap } from "../../../bounded-map.ts";
import { asAdapterError } from "./errors.ts";
import { bound, declaredType, read, typeOfValues } from "./values.ts";

/** Maximum number of cached statements. Prisma writes a few hundred, but one more for each length of a list. */
const MAX_KEPT = 500;
/** Longer statements hold long lists, and SQLite's form of one is a hundred times as large. Characters. */
const LONGEST_KEPT = 4_000;

interface Kept {
  readonly statement: BetterSqlite3.Statement<unknown[], unknown[]>;
  readonly names: string[];
  /** Declared column types; null for calculated columns. */
  readonly types: readonly (ColumnType | null)[];
}

/** Runs the statements of one connection. Preparing a text takes longer than most executions, so it is done once. */
export class Statements {
  readonly #connection: BetterSqlite3.Database;
  readonly #kept = new BoundedMap<string, Kept>(MAX_KEPT);

  constructor(connection: BetterSqlite3.Database) {
    this.#connection = connection;
    connection.defaultSafeIntegers(true);
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return this.#carryOut(query, ({ statement, names, types }, values) => {
      if (!statement.reader) {
        statement.run(values);
        return { columnNames: [], columnTypes: [], rows: [] };
      }
      const rows = statement.all(values);
      const columnTypes = types.map((type, column) => type ?? typeOfValues(rows, column));
      return {
        columnNames: names,
        columnTypes,
        rows: rows.map((row) => columnTypes.map((type, column) => read(row[column], type))),
      };
    });
  }

  /** Returns how many rows have changed. */
  async executeRaw(query: SqlQuery): Promise<number> {
    return this.#carryOut(query, ({ statement }, values) => statement.run(values).changes);
  }

  #carryOut<T>({ sql, args, argTypes }: SqlQuery, work: (kept: Kept, values: unknown[]) => T): T {
    const values = args.map((value, at) => bound(value, argTypes[at] ?? { scalarType: "unknown" }));
    try {
      return work(this.#prepared(sql), values);
    } catch (error) {
      throw asAdapterError(error);
    }
  }

  #prepared(sql: string): Kept {
    const kept = this.#kept.get(sql) ?? this.#prepare(sql);
    // Inserted again at each use, so that the least recently used one is dropped first.
    if (sql.length <= LONGEST_KEPT) this.#kept.set(sql, kept);
    return kept;
  }

  #prepare(sql: string): Kept {
    const statement = this.#connection.prepare<unknown[], unknown[]>(sql);
    if (!statement.reader) return { statement, names: [], types: [] };
    const columns = statement.raw().columns();
    return { statement, names: columns.map(({ name }) => name), types: columns.map(({ type }) => declaredType(type)) };
  }
}
