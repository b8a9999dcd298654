import BetterSqlite3 from "better-sqlite3";
import type { Client } from "pg";

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

/** The same for PostgreSQL, and with it all that the engine of several processes keeps there; no process may run on it. */
export async function emptyPostgres(client: Pick<Client, "query">): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname IN ('public', 'deckhand_cluster') AND tablename <> '_prisma_migrations'
       OR schemaname = 'dbos' AND tablename = 'workflow_status'`,
  );
  // Without triggers, and so in whatever order.
  const deletions = rows.map(({ name }) => `DELETE FROM ${name}`);
  await client.query(["BEGIN", "SET LOCAL session_replication_role = replica", ...deletions, "COMMIT"].join(";\n"));
}
