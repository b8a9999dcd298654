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

/** No connection, a broken one, or none in time. Source: Prisma docs, Error reference; SQLite docs, Result codes. */
const AWAY = /^(?:P1001|P1002|P1008|P1017|P2024|P2028|SQLITE_BUSY.*)$/;

/**
 * A connection that PostgreSQL ends or does not give, or a pooler before it; a server that takes no changes for now, as one
 * that another took over from, or whose disk is nearly full at a hoster's. Source: PostgreSQL docs, Error Codes: class 08,
 * read_only_sql_transaction, too_many_connections, admin_shutdown, crash_shutdown, cannot_connect_now.
 */
const NO_CONNECTION = /^(?:08|25006$|53300$|57P0[123]$)/;

/** True when the database was not there for a moment: what was asked of it may well succeed the next time. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  if (!(error instanceof Error) || !DATABASE_ERRORS.test(error.name)) return false;
  return AWAY.test(systemCode(error) ?? "") || NO_CONNECTION.test(driverCode(error) ?? "");
}

/** What the driver says of a failure, as Prisma passes it on. */
const byDriver = z.object({
  meta: z.object({ driverAdapterError: z.object({ cause: z.object({ originalCode: z.string() }) }) }),
});

function driverCode(error: Error): string | undefined {
  return byDriver.safeParse(error).data?.meta.driverAdapterError.cause.originalCode;
}

/** Source: SQLite docs, Result codes; PostgreSQL docs, Error Codes. */
const FULL = new Set(["SQLITE_FULL", "53100"]);

/** True when what was to be written found no room. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error) || !DATABASE_ERRORS.test(error.name)) return false;
  return FULL.has(driverCode(error) ?? systemCode(error) ?? "");
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
