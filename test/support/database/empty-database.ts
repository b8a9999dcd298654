import BetterSqlite3 from "better-sqlite3";
import type { Client } from "pg";

/** Resets a migrated SQLite database to its state before the first row, including sequences. */
export function emptyDatabase(file: string): void {
  const connection = new BetterSqlite3(file);
  try {
    connection.pragma("foreign_keys = OFF");
    const tables = connection
      .prepare<[], { name: string }>(
        // The tables of the full-text index follow those that they index.
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

/** Does the same for PostgreSQL, including the data of the engine of several processes. No process may be using it. */
export async function emptyPostgres(client: Pick<Client, "query">): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname IN ('public', 'deckhand_cluster') AND tablename <> '_prisma_migrations'
       OR schemaname = 'dbos' AND tablename = 'workflow_status'`,
  );
  // Without triggers, the order of deletions does not matter.
  const deletions = rows.map(({ name }) => `DELETE FROM ${name}`);
  await client.query(["BEGIN", "SET LOCAL session_replication_role = replica", ...deletions, "COMMIT"].join(";\n"));
}
