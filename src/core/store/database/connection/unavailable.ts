import { ConfigError } from "../../../protocol/errors.ts";
import { systemCode } from "../../../protocol/system-code.ts";
import { sqlitePath } from "./database-url.ts";
import { isRefusal } from "./postgresql-rights.ts";
import { serverAdvice } from "./server-advice.ts";

/**
 * The error for a database at DATABASE_URL that cannot be opened. Omits the driver's message, which may quote a
 * password. A ConfigError is returned as it is, because it already says more.
 */
export function unavailable(url: string, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const reason = systemCode(error) ?? "unknown error";
  if (!url.startsWith("file:")) {
    if (isRefusal(error)) return new ConfigError([NO_CONNECT]);
    if (reason === TOO_MANY_CONNECTIONS) return new ConfigError([NONE_LEFT]);
    if (isOpening(error)) return new ConfigError([`${UNREADABLE} (${reason}). Correct its path.`]);
    return new ConfigError([
      `DATABASE_URL: cannot connect to PostgreSQL (${reason}). ${serverAdvice(url, reason, error)}`,
    ]);
  }
  const remedy =
    REMEDIES[reason] ??
    "Make the file, its directory and the files next to it writable for this user, or use another file.";
  return new ConfigError([`DATABASE_URL: ${sqlitePath(url)} cannot be opened (${reason}). ${remedy}`]);
}

/** Whether a file that the URL names could not be opened, rather than a socket. */
function isOpening(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "open";
}

const UNREADABLE = "DATABASE_URL: the file named in sslrootcert, sslcert or sslkey cannot be read";

/** Source: PostgreSQL docs, PostgreSQL Error Codes. */
const TOO_MANY_CONNECTIONS = "53300";

const NONE_LEFT =
  "DATABASE_URL: too few connections: PostgreSQL has none left for this user. Raise max_connections or the CONNECTION LIMIT of the user or database, or close other connections.";

const NO_CONNECT =
  "DATABASE_URL: this user may not connect to this database. As its owner or a superuser, run GRANT CONNECT ON DATABASE … TO …; with the names in DATABASE_URL.";

/** The driver's binary is for another kind of machine, for example when node_modules was copied from one. */
const NO_DRIVER = `The SQLite driver does not run on this machine (${process.platform} ${process.arch}). Run npm ci here, on Linux with glibc 2.34 or newer, or use PostgreSQL.`;

const REMEDIES: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: "It is not a SQLite database. Use one, or a file that does not exist yet.",
  SQLITE_CORRUPT:
    "It is damaged. Replace it with a backup, and delete its -wal and -shm files: docs/operating.md, “Backing up”.",
  SQLITE_FULL: "Its disk is full; the database was not changed. Free up space, then start again.",
  SQLITE_IOERR_SHMSIZE:
    "Its disk is full, or its file system has no shared memory. Free up space, or move the file to a local disk.",
  SQLITE_BUSY: "Another process is writing to it. Stop that process, or wait for it, then start again.",
  EISDIR: "It is a directory. Use a file in it, for example deckhand.db.",
  MODULE_NOT_FOUND: NO_DRIVER,
  ERR_DLOPEN_FAILED: NO_DRIVER,
};
