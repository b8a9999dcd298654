import type { InboundAction, Receipt } from "../platform/inbound.ts";
import type { Button } from "../platform/outgoing.ts";
import { reply } from "../platform/replies.ts";
import type { FeedbackValue } from "../store/run/feedback.ts";
import type { StoreTransaction } from "../store/store.ts";
import type { DecisionScope } from "./interaction.ts";

const THANKS: Readonly<Record<FeedbackValue, string>> = {
  up: "👍 Noted, thanks.",
  down: "👎 Noted, thanks. Reply in the thread and I'll try again.",
};

export function feedbackButtons(runId: string): Button[] {
  return [
    { id: `good:${runId}`, label: "👍", style: "default" },
    { id: `bad:${runId}`, label: "👎", style: "default" },
  ];
}

/**
 * Work that a vote causes in its own transaction. `before` is the person's previous vote, null if this is the first.
 */
export type OnVote = (
  vote: { readonly runId: string; readonly value: FeedbackValue; readonly before: FeedbackValue | null },
  tx: StoreTransaction,
) => Promise<void>;

/**
 * Records a vote on a run, `good:<run>` or `bad:<run>`. Only a person's newest vote counts. Null if the run does not
 * exist.
 */
export async function clickFeedback(
  { person }: InboundAction,
  { value, runId }: { value: FeedbackValue; runId: string },
  { store, runtime, onVote }: Pick<DecisionScope, "store" | "runtime"> & { readonly onVote: OnVote },
): Promise<Receipt | null> {
  const run = await store.runs.get(runId);
  if (run === null) return null;
  const { channelKey: channelId } = await store.sessions.get(run.sessionId);
  const at = runtime.clock.now();
  await store.transaction(async (tx) => {
    const before = (await tx.feedback.ofRun(runId)).find(({ personId }) => personId === person.id)?.value ?? null;
    await tx.feedback.give({ runId, personId: person.id, channelId, value, at });
    await onVote({ runId, value, before }, tx);
  });
  return reply(THANKS[value]);
}
