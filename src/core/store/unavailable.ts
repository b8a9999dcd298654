import { ConfigError } from "../protocol/errors.ts";
import { sqlitePath } from "./database-url.ts";

/** There is no database to be had at DATABASE_URL. The driver's message is left out: it may quote a password. */
export function unavailable(url: string, error: unknown): ConfigError {
  const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  if (!url.startsWith("file:")) {
    return new ConfigError([
      `DATABASE_URL: PostgreSQL does not let me in (${reason}). Is it up, and are address, user, password and database right?`,
    ]);
  }
  const mend = reason === "SQLITE_NOTADB" ? "Name a SQLite file, or one that does not exist yet." : "Make it writable.";
  return new ConfigError([`DATABASE_URL: ${sqlitePath(url)} cannot be opened (${reason}). ${mend}`]);
}
