import BetterSqlite3 from "better-sqlite3";

/** Leaves a migrated SQLite database as it was before the first row, numbers that count up included. */
export function emptyDatabase(file: string): void {
  const connection = new BetterSqlite3(file);
  try {
    connection.pragma("foreign_keys = OFF");
    const tables = connection
      .prepare<[], { name: string }>(
        // Tables of the full-text index follow those that they index.
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT IN ('_prisma_migrations', 'sqlite_schema')",
      )
      .all();
    connection.transaction(() => {
      for (const { name } of tables) connection.exec(`DELETE FROM "${name}"`);
    })();
  } finally {
    connection.close();
  }
}
