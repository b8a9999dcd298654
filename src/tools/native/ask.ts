import { hash } from "node:crypto";
import { postAccepted } from "../../core/people/interaction.ts";
import { cardKey, closedCard, openCard, plainCard } from "../../core/people/question-card.ts";
import { startOf } from "../../core/people/run-people.ts";
import { decidersText } from "../../core/permissions/deciders.ts";
import type { OutgoingMessage } from "../../core/platform/outgoing.ts";
import { PlatformError } from "../../core/protocol/errors.ts";
import type { Author } from "../../core/protocol/messages.ts";
import { CancelSignal } from "../../core/protocol/signals.ts";
import type { QuestionBody, QuestionRow } from "../../core/store/run/questions.ts";
import type { Store } from "../../core/store/store.ts";
import type { ToolContext } from "../../core/tool.ts";
import { type Label, UNKNOWN_LABEL } from "../../core/trust/label.ts";
import type { NativeToolDeps } from "./native-tool-deps.ts";

export type AskDeps = Pick<NativeToolDeps, "store" | "clock" | "log" | "approvals">;

/** Maximum characters of a call id within a question id: a button's id contains it and is limited to 100. */
const CALL_ID_CHARS = 60;

/**
 * Asks a durable question once; returns the closed question, or null while it waits. Each wake of the run calls this
 * again. A question that cannot be posted is withdrawn, and the platform's error is thrown unless the platform refused
 * the content.
 */
export async function ask(
  body: QuestionBody,
  { ctx, signal }: { ctx: ToolContext; signal: AbortSignal },
  deps: AskDeps,
): Promise<QuestionRow | null> {
  const { store, clock, log, approvals } = deps;
  const id = questionId(ctx);
  const known = await store.questions.get(id);
  if (known !== null && known.status !== "open") {
    await ctx.thread.close(cardKey(known), closedCard(known, { maxChars: ctx.thread.limits.editChars, by: null }));
    return known;
  }
  const person = await requesterOf(store, ctx.runId);
  const { sessionId, runId } = ctx;
  const row = { id, sessionId, runId, askedOf: person?.id ?? null, body };
  if (known === null) await store.transaction((tx) => tx.questions.open({ ...row, at: clock.now() }));
  const deciders = person === null ? "anyone here" : decidersText(person.name, { ...approvals, requester: true });
  const presentation = { deciders, maxChars: ctx.thread.limits.messageChars };
  try {
    const post = (form: OutgoingMessage) => ctx.thread.post(cardKey(row), form);
    const refused = await postAccepted(
      post,
      [() => openCard(row, presentation), () => plainCard(row, presentation)],
      (missing) => openCard(row, { ...presentation, missing }),
    );
    if (refused !== null) {
      log.error({ err: refused, questionId: id }, "card_refused");
      await store.transaction((tx) => tx.questions.withdraw(id));
      return await store.questions.get(id);
    }
  } catch (error) {
    // An open question that nobody sees would treat the person's next message as its answer.
    const isLost = signal.reason instanceof CancelSignal || (error instanceof PlatformError && !signal.aborted);
    if (isLost) await store.transaction((tx) => tx.questions.withdraw(id));
    throw error;
  }
  ctx.waits(`waiting for ${deciders}`);
  return null;
}

/** `<runId>:<callId>`, with a digest in place of a call id that is too long for a button. */
export function questionId({ runId, callId }: Pick<ToolContext, "runId" | "callId">): string {
  const isShort = callId.length <= CALL_ID_CHARS;
  return `${runId}:${isShort ? callId : hash("sha256", callId).slice(0, CALL_ID_CHARS)}`;
}

/** Labels an answer as the words of the person who gave it. */
export function labelOfAnswer(by: Author | null): Label {
  return by === null ? UNKNOWN_LABEL : { who: [by.id], holds: ["channel"] };
}

/** The author of the event that began the run; null if nobody did. */
async function requesterOf(store: Store, runId: string): Promise<Author | null> {
  const body = (await startOf(store, runId))?.body;
  return body?.kind === "message" || body?.kind === "child" || body?.kind === "child_end" ? body.author : null;
}
