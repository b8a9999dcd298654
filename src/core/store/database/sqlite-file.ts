import { access, constants, stat } from "node:fs/promises";
import path from "node:path";
import { unlessFails } from "../../protocol/system-code.ts";
import { closeToOthers } from "./close-to-others.ts";
import { sqlitePath } from "./connection/database-url.ts";
import { unavailable } from "./connection/unavailable.ts";
import { createDirectory } from "./create-directory.ts";

/** As `checkSqliteFile`, and makes the directory of the file, for the owner alone, where it is missing. */
export async function prepareSqliteFile(url: string): Promise<void> {
  await checkSqliteFile(url);
  try {
    await createDirectory(path.dirname(sqlitePath(url)), 0o700);
  } catch (error) {
    throw unavailable(url, error);
  }
}

/** What SQLite writes beside a database, and the file of its lease. */
const BESIDE = ["", "-wal", "-shm", "-journal", ".lease"];

/** For the owner alone, also what was there before: it holds what people say. SQLite gives new files beside it its mode. */
export async function closeSqliteFile(url: string): Promise<void> {
  await Promise.all(BESIDE.map((suffix) => closeToOthers(`${sqlitePath(url)}${suffix}`, 0o600)));
}

/** ConfigError when what is at a `file:` URL is a directory or cannot be reached or written. What is missing is no mistake. */
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
 * Until when a process before this one may have worked on the database, in milliseconds since the epoch; null where there was
 * none. The log that SQLite takes away with its last connection is still there after a kill: how long the killed one worked
 * then, nothing says, nor does PostgreSQL.
 */
export async function workedUntil(url: string, now: number): Promise<number | null> {
  if (!url.startsWith("file:")) return now;
  const [file, log] = await Promise.all(
    ["", "-wal"].map((suffix) => stat(`${sqlitePath(url)}${suffix}`).catch(() => null)),
  );
  if (log !== null) return now;
  return file == null || file.size === 0 ? null : Math.min(now, file.mtimeMs);
}
