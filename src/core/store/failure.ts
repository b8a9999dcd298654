import { AppError } from "../protocol/errors.ts";

/** The errors come from several packages; their names are what they have in common. */
const DATABASE_ERRORS = /^(PrismaClient|DriverAdapterError|SqliteError)/;

/** True when the database or the right to write to it failed: what goes on once they are back. */
export function isStoreFailure(error: unknown): boolean {
  if (error instanceof AppError) return error.code === "stale_owner";
  return error instanceof Error && DATABASE_ERRORS.test(error.name);
}
