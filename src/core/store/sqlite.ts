import { mkdir } from "node:fs/promises";
import path from "node:path";
import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import type { SqlDriverAdapter } from "@prisma/driver-adapter-utils";
import BetterSqlite3 from "better-sqlite3";
import { PrismaClient } from "../../../prisma/sqlite/generated/client.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { DatabaseClient } from "./client.ts";
import { sqlitePath } from "./database-url.ts";
import { migrate } from "./migrate.ts";
import { unavailable } from "./unavailable.ts";

/** Creates the folder and file when missing, applies migrations, and opens a client on one connection. */
export async function openSqlite(url: string, migrations: string, runtime: Runtime): Promise<DatabaseClient> {
  const file = sqlitePath(url);
  await mkdir(path.dirname(file), { recursive: true });
  const connection = new BetterSqlite3(file);
  try {
    useWal(connection, url);
    await migrate(sqliteMigrations(connection), migrations, runtime);
  } finally {
    connection.close();
  }
  return new PrismaClient({
    adapter: new ImmediateSqlite({ url: file }),
    transactionOptions: { maxWait: 20_000, timeout: 20_000 },
  });
}

/** The first thing that reads the file: here it shows whether it is a database. */
function useWal(connection: BetterSqlite3.Database, url: string): void {
  try {
    connection.pragma("journal_mode = WAL");
  } catch (error) {
    throw unavailable(url, error);
  }
}

function sqliteMigrations(connection: BetterSqlite3.Database) {
  return {
    kind: "sqlite" as const,
    script: (sql: string) => {
      connection.exec(sql);
      return Promise.resolve();
    },
    rows: (sql: string, values: readonly (string | Date)[]) => {
      const statement = connection.prepare(sql);
      const plain = values.map((value) => (value instanceof Date ? value.toISOString() : value));
      return Promise.resolve(statement.reader ? statement.all(...plain) : [statement.run(...plain)]);
    },
    placeholder: () => "?",
    timestamp: (ms: number) => new Date(ms).toISOString().replace("Z", "+00:00"),
  };
}

/**
 * Begins transactions with the write lock. A deferred BEGIN that reads first and writes later fails
 * whenever another process wrote in between; an immediate one waits its turn (busy timeout: 5 s).
 */
class ImmediateSqlite extends PrismaBetterSqlite3 {
  override async connect() {
    const adapter = await super.connect();
    const connection = connectionOf(adapter);
    const prepare = connection.prepare.bind(connection);
    connection.prepare = (sql: string) => prepare(sql === "BEGIN" ? "BEGIN IMMEDIATE" : sql);
    return adapter;
  }
}

/** The adapter has no option for the kind of BEGIN; its connection is a plain property. */
function connectionOf(adapter: SqlDriverAdapter): { prepare(sql: string): BetterSqlite3.Statement } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a plain property that its type hides
  return (adapter as unknown as { client: BetterSqlite3.Database }).client;
}
