import { access, constants, mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../protocol/system-code.ts";
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

/** Step by step: Node's recursive mkdir never returns where a file system denies a new entry with ENOENT, as /proc does. */
export async function createDirectory(directory: string, mode: number): Promise<void> {
  try {
    await access(directory);
  } catch {
    const parent = path.dirname(directory);
    if (parent !== directory) await createDirectory(parent, 0o777);
    await mkdirUnlessThere(directory, mode);
  }
}

async function mkdirUnlessThere(directory: string, mode: number): Promise<void> {
  try {
    await mkdir(directory, { mode });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}
