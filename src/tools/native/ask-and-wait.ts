import type { QuestionBody, QuestionRow } from "../../core/store/run/questions.ts";
import type { ToolContext } from "../../core/tool.ts";
import { type AskDeps, ask, questionId } from "./ask.ts";

/** Milliseconds between two looks for an answer. */
const LOOK_EVERY_MS = 500;

/**
 * Asks while a call goes on, which what it talks to does not outlive: the run does not park, and nothing but the card
 * stays of the question should the process die. `key` tells the questions of one call apart.
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
