import { createHash } from "node:crypto";
import { postKey } from "../../core/engine/post-once.ts";
import { answeredCard, cardKey, openCard } from "../../core/people/question-card.ts";
import { toolPostKey } from "../../core/people/tool-thread.ts";
import { type ApprovalRules, decidersText } from "../../core/permissions/deciders.ts";
import { PlatformError, toAppError } from "../../core/protocol/errors.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Author } from "../../core/protocol/messages.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { QuestionBody, QuestionRow } from "../../core/store/run/questions.ts";
import type { Store } from "../../core/store/store.ts";
import type { ToolContext } from "../../core/tool.ts";

export interface AskDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly approvals: ApprovalRules;
}

/** Characters of a call's id within a question's: a button's id holds it, and may have 100. */
const CALL_ID_CHARS = 60;

/**
 * Asks once, durably: the question as it was closed, or null while it waits. Called again with each wake of the run. Throws
 * what the platform throws when the question cannot be posted; it is withdrawn then.
 */
export async function ask(
  body: QuestionBody,
  { ctx, signal }: { ctx: ToolContext; signal: AbortSignal },
  deps: AskDeps,
): Promise<QuestionRow | null> {
  const { store, clock, approvals } = deps;
  const id = questionId(ctx);
  const known = await store.questions.get(id);
  if (known !== null && known.status !== "open") {
    await closeCard(known, ctx, deps);
    return known;
  }
  const person = await requesterOf(store, ctx.runId);
  const { sessionId, runId } = ctx;
  const row = { id, sessionId, runId, askedOf: person?.id ?? null, body };
  if (known === null) await store.transaction((tx) => tx.questions.open({ ...row, at: clock.now() }));
  const deciders = person === null ? "anyone here" : decidersText(person.name, { ...approvals, requester: true });
  try {
    await ctx.thread.post(cardKey(row), openCard(row, { deciders, maxChars: ctx.thread.limits.messageChars }));
  } catch (error) {
    // An open question that nobody sees would take the person's next message for its answer.
    const isLost = error instanceof PlatformError && !signal.aborted;
    if (isLost) await store.transaction((tx) => tx.questions.withdraw(id));
    throw error;
  }
  ctx.waits(`waits for ${deciders}`);
  return null;
}

/** `<runId>:<callId>`, with a digest in place of an id that is too long for a button. */
export function questionId({ runId, callId }: Pick<ToolContext, "runId" | "callId">): string {
  const isShort = callId.length <= CALL_ID_CHARS;
  return `${runId}:${isShort ? callId : createHash("sha256").update(callId).digest("hex").slice(0, CALL_ID_CHARS)}`;
}

/** Whose event began the run; null when nobody's did. */
async function requesterOf(store: Store, runId: string): Promise<Author | null> {
  const run = await store.runs.get(runId);
  const event = run === null ? null : await store.inbox.get(run.eventSeq);
  const body = event?.body;
  return body?.kind === "message" || body?.kind === "child" || body?.kind === "child_end" ? body.author : null;
}

/** The answer counts as it is stored: a card that cannot be edited is no failure of the call. The end of the run edits it then. */
async function closeCard(row: QuestionRow, ctx: ToolContext, { store, log }: AskDeps): Promise<void> {
  const closed = answeredCard(row, ctx.thread.limits.editChars);
  const key = postKey(row.runId, toolPostKey(cardKey(row)));
  const { files: _files, ...last } = closed;
  await store.transaction((tx) => tx.posts.closes(key, last));
  try {
    const posted = await ctx.thread.post(cardKey(row), closed);
    await ctx.thread.edit(posted, closed);
  } catch (error) {
    const { code } = toAppError(error);
    if (code === "stale_owner") throw error;
    log.warn({ questionId: row.id, code }, "question_card_not_closed");
    return;
  }
  await store.transaction((tx) => tx.posts.closed(key));
}
