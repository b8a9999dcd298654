import type { Button, InboundAction, Receipt } from "../protocol/platform.ts";
import { privately } from "../protocol/private-reply.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { FeedbackValue } from "../store/run/feedback.ts";
import type { Store } from "../store/store.ts";

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

/** A vote on a run, `good:<run>` or `bad:<run>`; a person's newest one counts. Null when it is another button. */
export async function clickFeedback(
  { person }: InboundAction,
  { verb, runId }: { verb: string; runId: string },
  { store, runtime }: { readonly store: Store; readonly runtime: Runtime },
): Promise<Receipt | null> {
  const vote = VOTES.find((each) => each.verb === verb);
  const run = vote === undefined ? null : await store.runs.get(runId);
  if (vote === undefined || run === null) return null;
  const { channelKey: channelId } = await store.sessions.get(run.sessionId);
  const at = runtime.clock.now();
  await store.transaction((tx) => tx.feedback.give({ runId, personId: person.id, channelId, value: vote.value, at }));
  return { type: "reply", message: privately(vote.thanks) };
}
