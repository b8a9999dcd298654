import type { Claim } from "../engine/engine.ts";
import { postKey } from "../engine/post-once.ts";
import type { SessionEventBody } from "../events/session-event.ts";
import { duplicateClickReply, messageFromClick } from "../people/click-messages.ts";
import type { DecisionScope } from "../people/interaction.ts";
import type { InboundAction, Receipt } from "../platform/inbound.ts";
import { reply } from "../platform/replies.ts";
import type { RunRow } from "../store/runs.ts";
import type { SessionRow } from "../store/sessions.ts";

/**
 * Handles a click on `continue:<run>` or `retry:<run>` below a run that has ended: begins a new run with the button's
 * words as the person's. The event's key contains the ended run, so each run is continued at most once. Null if the run
 * does not exist.
 */
export async function continueRun(
  action: InboundAction,
  { verb, id, text }: { verb: string; id: string; text: string },
  options: Pick<DecisionScope, "store" | "engine" | "runtime">,
): Promise<Receipt | null> {
  const { store, engine } = options;
  const run = await store.runs.get(id);
  if (run === null) return null;
  const session = await store.sessions.get(run.sessionId);
  const key = `${verb}:${id}`;
  const event = { key, body: await bodyOf(action, { run, session, text }, options) };
  const outcome = await engine.deliver(session.id, event, nothingElseRuns(run, options));
  if (outcome === "new") return { type: "accepted" };
  if (outcome === "refused") return reply(`**${session.agent}** is already working here.`);
  return duplicateClickReply(key, action, store);
}

/** The event for the new run. A failed compaction is retried as a compaction. */
async function bodyOf(
  action: InboundAction,
  { run, session, text }: { run: RunRow; session: SessionRow; text: string },
  { store }: Pick<DecisionScope, "store">,
): Promise<SessionEventBody> {
  const [begun, post] = await Promise.all([
    store.inbox.get(run.eventSeq),
    store.posts.get(postKey(run.id, "answer:0")),
  ]);
  const clickMessage = messageFromClick(text, action, { ...session, post });
  if (begun.body.kind === "compact") return { kind: "compact", by: clickMessage.author };
  // A run of its own, so that the ended run cannot absorb it while finishing its last steps.
  return { ...clickMessage, isOwnRun: true };
}

/** Accepts the click only if no other run is open or about to begin. The ended run itself may still be finishing. */
function nothingElseRuns(run: RunRow, { runtime }: Pick<DecisionScope, "runtime">): Claim {
  return async (tx) => {
    await tx.sessions.lock(run.sessionId);
    if ((await tx.inbox.nextWaking(run.sessionId, runtime.clock.now())) !== null) return false;
    const open = await tx.runs.open(run.sessionId);
    return open === null || open.id === run.id;
  };
}
