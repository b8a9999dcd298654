import { z } from "zod";
import { AppError } from "./errors.ts";
import { systemCode } from "./system-code.ts";

/** The errors come from several packages; their names are what they have in common. */
const DATABASE_ERRORS = /^(PrismaClient|DriverAdapterError|SqliteError)/;

/** A connection to the database broke, or none was to be had; the message is the driver's. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** What pg says of connections are plain errors, which Prisma passes on as they are; those that have a name stay what they are. */
export function namedFailure(error: unknown): unknown {
  return error instanceof Error && error.name === "Error" ? new ConnectionLost(error.message, { cause: error }) : error;
}

/**
 * No connection, a broken one, or none in time; a file that cannot be read or written for now, as one of a disk that is gone.
 * Source: Prisma docs, Error reference; SQLite docs, Result codes.
 */
const AWAY = /^(?:P1001|P1002|P1008|P1017|P2024|P2028|P2034|SQLITE_(?:BUSY|CANTOPEN|IOERR|READONLY).*)$/;

/**
 * A connection that PostgreSQL ends or does not give, or a pooler before it; a server that takes no changes for now, as one
 * that another took over from, or whose disk is nearly full at a hoster's; a statement that others have kept waiting for
 * longer than an operator lets it, or that was given up for theirs; a password that is renewed. Source: PostgreSQL docs,
 * Error Codes: classes 08 and 28, read_only_sql_transaction, serialization_failure, deadlock_detected, too_many_connections, lock_not_available,
 * query_canceled, admin_shutdown, crash_shutdown, cannot_connect_now.
 */
const NOT_NOW = /^(?:08|28|25006$|40001$|40P01$|53300$|55P03$|57014$|57P0[123]$)/;

/** True when the database was not there for a moment: what was asked of it may well succeed the next time. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof ConnectionLost || causeOf(error)?.severity === FATAL) return true;
  return codesOf(error).some((code) => AWAY.test(code) || NOT_NOW.test(code));
}

/** What ends a connection or gives none, whatever its code: poolers have one for all that they refuse. */
const FATAL = "FATAL";

const byDriver = z.object({ originalCode: z.string(), severity: z.string().optional() });
/** What the driver says of a failure, as Prisma passes it on. */
const passedOn = z.object({ meta: z.object({ driverAdapterError: z.object({ cause: byDriver }) }) });
/** The same where a transaction could not be ended. */
const notEnded = z.object({ cause: byDriver });

/** What the driver says of a failure of a database; undefined where that is not known. */
function causeOf(error: unknown): z.infer<typeof byDriver> | undefined {
  if (!(error instanceof Error) || !DATABASE_ERRORS.test(error.name)) return undefined;
  return passedOn.safeParse(error).data?.meta.driverAdapterError.cause ?? notEnded.safeParse(error).data?.cause;
}

/** Prisma's code, or the driver's own, and what the driver says; none of what is no failure of a database. */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || !DATABASE_ERRORS.test(error.name)) return [];
  return [systemCode(error), causeOf(error)?.originalCode].filter((code) => code !== undefined);
}

/** Source: SQLite docs, Result codes; PostgreSQL docs, Error Codes. */
const FULL = new Set(["SQLITE_FULL", "53100"]);

/** True when what was to be written found no room. */
export function isDiskFull(error: unknown): boolean {
  return codesOf(error).some((code) => FULL.has(code));
}

/** True when the database or the right to write to it failed: what goes on once they are back. */
export function isStoreFailure(error: unknown): boolean {
  if (error instanceof AppError) return error.code === "stale_owner";
  return error instanceof ConnectionLost || (error instanceof Error && DATABASE_ERRORS.test(error.name));
}

/** True when a row was written that names one that is not there. Source: Prisma docs, Error reference. */
export function isForeignKeyFailure(error: unknown): boolean {
  return error instanceof Error && DATABASE_ERRORS.test(error.name) && systemCode(error) === "P2003";
}
