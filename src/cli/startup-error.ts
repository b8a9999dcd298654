import { isDatabaseAway } from "../core/protocol/database-failure.ts";
import { type AppError, ConfigError, type ErrorCode } from "../core/protocol/errors.ts";
import { explain } from "../core/protocol/explain.ts";

/** People in a thread are told of these to try again or to ask an operator, who reads this. */
const ONLY_IN_LOG: ReadonlySet<ErrorCode> = new Set(["defect", "platform_failed"]);

const DATABASE_AWAY =
  "✗ The database does not answer, or broke the connection. I end here; start me again once it answers. The error logged last says more.";

/** What an operator reads when an error ends the program. */
export function startupErrorLines(error: AppError): readonly string[] {
  if (error instanceof ConfigError) return error.problems.map((problem) => `✗ ${problem}`);
  if (isDatabaseAway(error.cause)) return [DATABASE_AWAY];
  if (!ONLY_IN_LOG.has(error.code)) return [explain(error)];
  return [`✗ Deckhand cannot go on (${error.code}). The error logged last says why.`];
}
