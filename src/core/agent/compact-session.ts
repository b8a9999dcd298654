import type { QueryEvent, QueryOutcome, Status } from "../protocol/events.ts";
import { explain } from "../protocol/explain.ts";
import { windowIn } from "./context-gauge.ts";
import { cancelledBy, openLoop } from "./loop.ts";
import type { Query } from "./query-input.ts";
import { NOT_SUMMARISED, summarise } from "./summarise.ts";

const DONE = "✓ I summarised what was said so far; nothing is deleted (`/export`).";
const TOO_LITTLE = "There is too little here to summarise: the newest ten messages always stay as they are.";

/**
 * Summarises a session at a person's request. If the run did so before a restart, only reports the result. Throws what
 * `runQuery` throws.
 */
export async function* compactSession(query: Query, signal: AbortSignal): AsyncGenerator<QueryEvent, QueryOutcome> {
  const loop = await openLoop(query);
  const ended = (text: string): QueryOutcome => {
    const { clock, ids } = query.runtime;
    const content = [{ type: "text", text } as const];
    const message = { id: ids.next("msg"), role: "assistant", content, createdAt: clock.now() } as const;
    return { type: "end_turn", message };
  };
  const { hasSummarised, projection } = loop.run.state;
  if (hasSummarised) return ended(projection.failures === 0 ? DONE : NOT_SUMMARISED);

  const { facts } = await query.registry.resolve(loop.gauge.model);
  const work = summarise(loop, windowIn(query, facts), signal);
  // Holds the last status back, because it becomes the answer and should not appear twice.
  let lastStatus: Status | null = null;
  let next = await work.next();
  for (; !next.done; next = await work.next()) {
    const event: QueryEvent = next.value;
    if (event.type !== "status") yield event;
    else {
      if (lastStatus !== null) yield lastStatus;
      lastStatus = event;
    }
  }
  const cause = cancelledBy(signal);
  if (cause !== null) return { type: "cancelled", cause };
  const end = next.value;
  if (end.type === "over_budget") return end.outcome;
  const why = end.type === "failed" ? `\n${explain(end.error)}` : "";
  return ended(`${lastStatus?.text ?? TOO_LITTLE}${why}`);
}
