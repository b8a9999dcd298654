import type BetterSqlite3 from "better-sqlite3";
import { PrismaClient } from "../../../../prisma/sqlite/generated/client.ts";
import { type ConfigError, StoreError } from "../../protocol/errors.ts";
import type { Runtime } from "../../protocol/runtime.ts";
import { systemCode } from "../../protocol/system-code.ts";
import { CLIENT_OPTIONS, type DatabaseClient } from "./client.ts";
import { sqlitePath } from "./connection/database-url.ts";
import { unavailable } from "./connection/unavailable.ts";
import { migrate } from "./migrate.ts";
import { sqliteAdapter } from "./sqlite-adapter/adapter.ts";
import { closeSqliteFile, openSqliteFile, prepareSqliteFile } from "./sqlite-file.ts";

/**
 * Creates the missing directory and file, applies migrations, and opens a client with one connection for transactions,
 * which run one after another, and one for reads outside them. Rejects with ConfigError if the file or its surroundings
 * prevent that, and as `migrate` does.
 */
export async function openSqlite(url: string, migrations: string, runtime: Runtime): Promise<DatabaseClient> {
  const file = sqlitePath(url);
  await prepareSqliteFile(url);
  const connection = await openSqliteFile(url, {}, (opened) => opened.pragma("journal_mode = WAL"));
  try {
    await migrate(sqliteMigrations(connection), migrations, runtime);
  } catch (error) {
    throw surroundings(url, error) ?? error;
  } finally {
    connection.close();
  }
  await closeSqliteFile(url);
  return new PrismaClient({ adapter: sqliteAdapter(file, runtime.clock), ...CLIENT_OPTIONS });
}

/** A ConfigError if a full disk, another process or the like prevented migrations of a sound database; else null. */
function surroundings(url: string, error: unknown): ConfigError | null {
  const cause = error instanceof StoreError ? error.cause : error;
  return /^SQLITE_(?:FULL|BUSY|READONLY|IOERR)/.test(systemCode(cause) ?? "") ? unavailable(url, cause) : null;
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
