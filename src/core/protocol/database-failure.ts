import { z } from "zod";
import { AppError } from "./errors.ts";
import { systemCode } from "./system-code.ts";

/** Names of database errors. They come from several packages and have only their names in common. */
const DATABASE_ERRORS = /^(PrismaClient|DriverAdapterError|SqliteError)/;

/** A connection to the database broke or could not be opened. The message is the driver's. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** Turns pg's plain connection errors, which Prisma passes on unchanged, into ConnectionLost; others are unchanged. */
export function toConnectionLost(error: unknown): unknown {
  return error instanceof Error && error.name === "Error" ? new ConnectionLost(error.message, { cause: error }) : error;
}

/**
 * No connection, a broken one, or none in time; or a file that cannot be read or written for now, for example because
 * its disk is gone. Source: Prisma docs, Error reference; SQLite docs, Result codes.
 */
const UNAVAILABLE = /^(?:P1001|P1002|P1008|P1017|P2024|P2028|P2034|SQLITE_(?:BUSY|CANTOPEN|IOERR|READONLY).*)$/;

/**
 * Refusals that may pass: PostgreSQL or a pooler ended or refused a connection; the server accepts no changes after a
 * failover or because a hoster's disk is nearly full; a statement exceeded an operator's limit while it waited for
 * others, or was aborted in favour of one; a password is being changed. Source: PostgreSQL docs, Error Codes: classes
 * 08 and 28, read_only_sql_transaction, serialization_failure, deadlock_detected, too_many_connections,
 * lock_not_available, query_canceled, admin_shutdown, crash_shutdown, cannot_connect_now.
 */
const NOT_NOW = /^(?:08|28|25006$|40001$|40P01$|53300$|55P03$|57014$|57P0[123]$)/;

/** True if the database was unavailable only for the moment, so that the same operation may succeed the next time. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof ConnectionLost || causeOf(error)?.severity === FATAL) return true;
  return codesOf(error).some((code) => UNAVAILABLE.test(code) || NOT_NOW.test(code));
}

/** Severity of errors that end or refuse a connection, whatever their code. Poolers use one code for all refusals. */
const FATAL = "FATAL";

const byDriver = z.object({ originalCode: z.string(), severity: z.string().optional() });
/** The driver's error as Prisma passes it on. */
const passedOn = z.object({ meta: z.object({ driverAdapterError: z.object({ cause: byDriver }) }) });
/** The driver's error when a transaction could not be ended. */
const notEnded = z.object({ cause: byDriver });

/** The driver's error behind a database failure; undefined if there is none. */
function causeOf(error: unknown): z.infer<typeof byDriver> | undefined {
  if (!(error instanceof Error) || !DATABASE_ERRORS.test(error.name)) return undefined;
  return passedOn.safeParse(error).data?.meta.driverAdapterError.cause ?? notEnded.safeParse(error).data?.cause;
}

/** Prisma's code (or the driver's own) and the driver's original code; empty if the error is no database failure. */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || !DATABASE_ERRORS.test(error.name)) return [];
  return [systemCode(error), causeOf(error)?.originalCode].filter((code) => code !== undefined);
}

/** Source: SQLite docs, Result codes; PostgreSQL docs, Error Codes. */
const FULL = new Set(["SQLITE_FULL", "53100"]);

/** True if a write failed for lack of disk space. */
export function isDiskFull(error: unknown): boolean {
  return codesOf(error).some((code) => FULL.has(code));
}

/** True if the database failed or this process lost the right to write. The work continues once they are back. */
export function isStoreFailure(error: unknown): boolean {
  if (error instanceof AppError) return error.code === "stale_owner";
  return error instanceof ConnectionLost || (error instanceof Error && DATABASE_ERRORS.test(error.name));
}

/** True if a written row refers to one that does not exist. Source: Prisma docs, Error reference. */
export function isForeignKeyFailure(error: unknown): boolean {
  return error instanceof Error && DATABASE_ERRORS.test(error.name) && systemCode(error) === "P2003";
}
