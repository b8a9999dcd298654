import { access, constants, stat } from "node:fs/promises";
import path from "node:path";
import { createDirectory } from "./create-directory.ts";
import { sqlitePath } from "./database-url.ts";
import { unavailable } from "./unavailable.ts";

/** As `checkSqlitePlace`, and makes the directory of the file where it is missing. */
export async function prepareSqlitePlace(url: string): Promise<void> {
  await checkSqlitePlace(url);
  try {
    await createDirectory(path.dirname(sqlitePath(url)), 0o777);
  } catch (error) {
    throw unavailable(url, error);
  }
}

/** ConfigError when what is at a `file:` URL is a directory or cannot be written. What is missing is no mistake. */
export async function checkSqlitePlace(url: string): Promise<void> {
  const file = sqlitePath(url);
  const found = await stat(file).catch(() => null);
  if (found === null) return;
  try {
    if (found.isDirectory()) throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
    await access(file, constants.W_OK);
  } catch (error) {
    throw unavailable(url, error);
  }
}
