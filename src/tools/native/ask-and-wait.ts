import type { QuestionBody, QuestionRow } from "../../core/store/run/questions.ts";
import type { ToolContext } from "../../core/tool.ts";
import { type AskDeps, ask, questionId } from "./ask.ts";

/** Polling interval for an answer, in milliseconds. */
const LOOK_EVERY_MS = 500;

/**
 * Asks during a call whose counterpart does not outlive it. The run does not park, and if the process dies only the
 * card remains of the question. `key` distinguishes the questions of one call.
 */
export async function askAndWait(
  body: QuestionBody & { readonly key: string },
  { ctx: calling, signal }: { ctx: ToolContext; signal: AbortSignal },
  deps: AskDeps,
): Promise<QuestionRow> {
  const { key, ...question } = body;
  const ctx = { ...calling, callId: `${calling.callId}-${key}` };
  for (;;) {
    const closed = await ask(question, { ctx, signal }, deps);
    if (closed !== null) return closed;
    while ((await deps.store.questions.get(questionId(ctx)))?.status === "open") {
      await deps.clock.sleep(LOOK_EVERY_MS, signal);
    }
  }
}
