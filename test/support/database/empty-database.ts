import BetterSqlite3 from "better-sqlite3";

/** Leaves a migrated SQLite database as it was before the first row, numbers that count up included. */
export function emptyDatabase(file: string): void {
  const connection = new BetterSqlite3(file);
  try {
    connection.pragma("foreign_keys = OFF");
    const tables = connection
      .prepare<[], { name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> '_prisma_migrations'",
      )
      .all();
    connection.transaction(() => {
      for (const { name } of tables) connection.exec(`DELETE FROM "${name}"`);
    })();
  } finally {
    connection.close();
  }
}
