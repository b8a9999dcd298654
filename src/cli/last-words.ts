import { type AppError, ConfigError, type ErrorCode } from "../core/protocol/errors.ts";
import { explain } from "../core/protocol/explain.ts";

/** Of these, people in a thread are told to try again or to ask an operator, who reads this. */
const ONLY_IN_LOG: ReadonlySet<ErrorCode> = new Set(["defect", "platform_failed"]);

/** What an operator reads when an error ends the program. */
export function lastWords(error: AppError): readonly string[] {
  if (error instanceof ConfigError) return error.problems.map((problem) => `✗ ${problem}`);
  if (!ONLY_IN_LOG.has(error.code)) return [explain(error)];
  return [`✗ Deckhand cannot go on (${error.code}). The error logged last says why.`];
}
