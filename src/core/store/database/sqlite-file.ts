import { access, constants, stat } from "node:fs/promises";
import path from "node:path";
import type BetterSqlite3 from "better-sqlite3";
import { unlessFails } from "../../protocol/system-code.ts";
import { sqlitePath } from "./connection/database-url.ts";
import { unavailable } from "./connection/unavailable.ts";
import { createDirectory } from "./create-directory.ts";
import { restrictToOwner } from "./restrict-to-owner.ts";

/** Does what `checkSqliteFile` does, and creates the missing directory of the file, for the owner alone. */
export async function prepareSqliteFile(url: string): Promise<void> {
  await checkSqliteFile(url);
  try {
    await createDirectory(path.dirname(sqlitePath(url)), 0o700);
  } catch (error) {
    throw unavailable(url, error);
  }
}

/**
 * Opens the file and runs `first`, the first statement that reads it, which fails if it is no database. Rejects with
 * ConfigError if the file cannot be opened.
 */
export async function openSqliteFile(
  url: string,
  options: BetterSqlite3.Options,
  first: (connection: BetterSqlite3.Database) => unknown,
): Promise<BetterSqlite3.Database> {
  const { default: Database } = await import("better-sqlite3");
  let connection: BetterSqlite3.Database | undefined;
  try {
    connection = new Database(sqlitePath(url), options);
    first(connection);
    return connection;
  } catch (error) {
    connection?.close();
    throw unavailable(url, error);
  }
}

/** Suffixes of the database, of the files that SQLite writes beside it, and of its lease. */
const BESIDE = ["", "-wal", "-shm", "-journal", ".lease"];

/**
 * Restricts the files to their owner, existing ones too, because they hold what people say. SQLite gives new files
 * beside the database the same mode.
 */
export async function closeSqliteFile(url: string): Promise<void> {
  await Promise.all(BESIDE.map((suffix) => restrictToOwner(`${sqlitePath(url)}${suffix}`, 0o600)));
}

/** Throws ConfigError if the file is a directory or cannot be reached or written. A missing file is no error. */
export async function checkSqliteFile(url: string): Promise<void> {
  const file = sqlitePath(url);
  try {
    const found = await unlessFails(["ENOENT", "ENOTDIR"], stat(file));
    if (found === null) return;
    if (found.isDirectory()) throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
    await access(file, constants.W_OK);
  } catch (error) {
    throw unavailable(url, error);
  }
}

/**
 * Until when an earlier process may have worked on the database, in milliseconds since the epoch; null if there was
 * none. Returns `now` if that is unknown, as it always is on PostgreSQL. A remaining WAL, which SQLite removes with the
 * last connection, tells of a kill, and then it is unknown too.
 */
export async function lastActiveAt(url: string, now: number): Promise<number | null> {
  if (!url.startsWith("file:")) return now;
  const [file, log] = await Promise.all(
    ["", "-wal"].map((suffix) => stat(`${sqlitePath(url)}${suffix}`).catch(() => null)),
  );
  if (log !== null) return now;
  return file == null || file.size === 0 ? null : Math.min(now, file.mtimeMs);
}
