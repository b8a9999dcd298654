import { existsSync } from "node:fs";
import { sqlitePath } from "./database-url.ts";

/** Milliseconds until a database that does not answer counts as unreachable. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Resolves when the database answers, changing nothing in it; rejects with the driver's error. A SQLite
 * file that does not exist yet is as good as one that does: the start creates it.
 */
export async function probeDatabase(url: string): Promise<void> {
  if (url.startsWith("file:")) await probeSqlite(sqlitePath(url));
  else await probePostgresql(url);
}

async function probeSqlite(file: string): Promise<void> {
  if (!existsSync(file)) return;
  const { default: BetterSqlite3 } = await import("better-sqlite3");
  const database = new BetterSqlite3(file, { readonly: true });
  try {
    database.prepare("SELECT count(*) FROM sqlite_master").get();
  } finally {
    database.close();
  }
}

async function probePostgresql(url: string): Promise<void> {
  const { Client } = await import("pg");
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // The query that a break cuts off rejects; the event, without a listener, would end the process.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("SELECT 1");
  } finally {
    await client.end();
  }
}
