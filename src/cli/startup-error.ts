import { isDatabaseUnavailable, isDiskFull } from "../core/protocol/database-failure.ts";
import { type AppError, ConfigError, type ErrorCode, toAppError } from "../core/protocol/errors.ts";
import { explain } from "../core/protocol/explain.ts";

/** Errors whose text for people refers them to an operator, who needs more than that text. */
const ONLY_IN_LOG: ReadonlySet<ErrorCode> = new Set(["defect", "platform_failed"]);

const DATABASE_AWAY = "✗ The database does not answer, or the connection was lost.";

const DISK_FULL = "✗ The disk is full.";

/** Tells the operator why an error ends the program. */
export function startupErrorLines(error: AppError): readonly string[] {
  if (isDatabaseUnavailable(error.cause))
    return [
      `${DATABASE_AWAY} Deckhand stops here; start it again once the database answers. The last error in the log says more.`,
    ];
  if (hasNoRoom(error)) return [`${DISK_FULL} Deckhand stops here; free up space, then start it again.`];
  return explained(error) ?? [`✗ Deckhand cannot continue (${error.code}). The last error in the log says why.`];
}

/** The same for a command, which writes no log, so the error itself is included. */
export function commandErrorLines(failure: unknown): readonly string[] {
  const error = toAppError(failure);
  const { message, stack = message } = error.cause instanceof Error ? error.cause : error;
  if (isDatabaseUnavailable(error.cause)) return [`${DATABASE_AWAY} Run this again once it answers.`, message];
  if (hasNoRoom(error)) return [`${DISK_FULL} Free up space, then run this again.`, message];
  return explained(error) ?? [`✗ The command failed (${error.code}):`, stack];
}

function hasNoRoom(error: AppError): boolean {
  return error.code === "disk_full" || isDiskFull(error.cause);
}

/** The text for people; null if it says too little to an operator. */
function explained(error: AppError): readonly string[] | null {
  if (error instanceof ConfigError) return error.problems.map((problem) => `✗ ${problem}`);
  return ONLY_IN_LOG.has(error.code) ? null : [explain(error)];
}
