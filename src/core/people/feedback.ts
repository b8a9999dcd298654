import type { Button, InboundAction, Receipt } from "../protocol/platform.ts";
import { reply } from "../protocol/private-reply.ts";
import type { FeedbackValue } from "../store/run/feedback.ts";
import type { StoreTransaction } from "../store/store.ts";
import type { DecisionScope } from "./interaction.ts";

interface Vote {
  readonly value: FeedbackValue;
  readonly verb: string;
  readonly label: string;
  readonly thanks: string;
}

const VOTES: readonly Vote[] = [
  { value: "up", verb: "good", label: "👍", thanks: "👍 Noted, thanks." },
  { value: "down", verb: "bad", label: "👎", thanks: "👎 Noted, thanks. Reply in the thread and I try again." },
];

export function feedbackButtons(runId: string): Button[] {
  return VOTES.map(({ verb, label }) => ({ id: `${verb}:${runId}`, label, style: "default" }));
}

/** What else comes of a vote, in its transaction. */
export type Voted = (
  vote: { readonly runId: string; readonly value: FeedbackValue; readonly before: FeedbackValue | null },
  tx: StoreTransaction,
) => Promise<void>;

/** A vote on a run, `good:<run>` or `bad:<run>`; a person's newest one counts. Null when it is another button. */
export async function clickFeedback(
  { person }: InboundAction,
  { verb, runId }: { verb: string; runId: string },
  { store, runtime, voted }: Pick<DecisionScope, "store" | "runtime"> & { readonly voted: Voted },
): Promise<Receipt | null> {
  const vote = VOTES.find((each) => each.verb === verb);
  const run = vote === undefined ? null : await store.runs.get(runId);
  if (vote === undefined || run === null) return null;
  const { channelKey: channelId } = await store.sessions.get(run.sessionId);
  const at = runtime.clock.now();
  const { value } = vote;
  await store.transaction(async (tx) => {
    const before = (await tx.feedback.ofRun(runId)).find(({ personId }) => personId === person.id)?.value ?? null;
    await tx.feedback.give({ runId, personId: person.id, channelId, value, at });
    await voted({ runId, value, before }, tx);
  });
  return reply(vote.thanks);
}
