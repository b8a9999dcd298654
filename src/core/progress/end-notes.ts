import { causeText } from "../protocol/cancel-cause.ts";
import { ProviderError } from "../protocol/errors.ts";
import type { QueryOutcome } from "../protocol/events.ts";
import { explain } from "../protocol/explain.ts";
import type { ContentBlock, Message } from "../protocol/messages.ts";
import type { Ids } from "../protocol/runtime.ts";

/** The message that the end of a run adds to the history beside its answer; null if there is none. */
export function endNote(outcome: QueryOutcome, { ids, at }: { ids: Ids; at: number }): Message | null {
  const block = noteOf(outcome);
  return block === null ? null : { id: ids.next("msg"), role: "user", content: [block], createdAt: at };
}

function noteOf(outcome: QueryOutcome): ContentBlock | null {
  if (outcome.type === "cancelled") {
    // Otherwise the next run would find the request unanswered and carry it out.
    const text = `[Stopped by ${causeText(outcome.cause)}. Do not continue with what was asked so far unless someone asks for it again.]`;
    return { type: "text", text };
  }
  if (outcome.type !== "error" || !(outcome.error instanceof ProviderError)) return null;
  const { error } = outcome;
  const retryAfter = error.retryAfterMs === undefined ? {} : { retryAfterS: Math.ceil(error.retryAfterMs / 1_000) };
  return { type: "system_api_error", code: error.code, text: explain(error), ...retryAfter };
}
