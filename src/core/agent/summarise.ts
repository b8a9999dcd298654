import { projectHistory } from "../context/projection.ts";
import { SUMMARY_SYSTEM, summaryEnd, summaryPrompt } from "../context/summary.ts";
import { textTokens } from "../context/token-estimate.ts";
import type { QueryEvent } from "../protocol/events.ts";
import { textOf } from "../protocol/messages.ts";
import type { ModelRequest, ResolvedModel } from "../providers/provider.ts";
import { MIN_OUTPUT } from "./context-gauge.ts";
import type { Loop } from "./loop.ts";
import { type CallEnd, callModel } from "./model-call.ts";
import type { SummaryCost } from "./run-journal.ts";

/** Maximum length of a summary, in tokens. */
const SUMMARY_TOKENS = 8_000;

export const NOT_SUMMARISED = "⚠ I couldn't summarise this thread, so I continue with all of it.";

/** `none` means that there was nothing to summarise, so no call was made. */
export type SummaryEnd = { readonly type: "made" | "none" | "unusable" } | Exclude<CallEnd, { type: "responded" }>;

/**
 * Replaces the head of the conversation by a summary, using one model call without tools. A failure changes nothing but
 * the count of failures.
 */
export async function* summarise(
  loop: Loop,
  window: number,
  signal: AbortSignal,
): AsyncGenerator<QueryEvent, SummaryEnd> {
  const { query, run } = loop;
  const { messages, projection } = run.state;
  const end = summaryEnd(messages, projection);
  if (end === null) return { type: "none" };

  const prompt = summaryPrompt(headOf(loop, end), window);
  const requestFor = (resolved: ResolvedModel) => summaryRequest(loop, { prompt, window }, resolved);
  const called: CallEnd = yield* callModel({ query, run, requestFor, isShown: false }, signal);
  if (called.type !== "responded" && called.type !== "failed") return called;
  const isWhole = called.type === "responded" && called.response.stopReason === "end_turn";
  const text = isWhole ? textOf(called.response.content).trim() : "";
  if (called.type !== "responded" || text === "") {
    query.log.warn({ sessionId: query.sessionId, failures: projection.failures + 1 }, "summary_failed");
    await run.projected({ ...projection, failures: projection.failures + 1 }, spentOn(called));
    yield { type: "status", text: NOT_SUMMARISED };
    return called.type === "failed" ? called : { type: "unusable" };
  }

  const summary = { text, messages: end, madeAt: messages.length, label: run.state.label };
  await run.projected({ ...projection, summary, failures: 0 }, spentOn(called));
  const what = end === 1 ? "first message" : `first ${end} messages`;
  yield { type: "status", text: `⚠ I summarised the ${what} to go on; nothing is deleted (\`/export\`).` };
  return { type: "made" };
}

/** The messages to be summarised, as requests carry them. */
function headOf({ run, gauge }: Loop, end: number) {
  const { messages, projection } = run.state;
  return projectHistory(messages.slice(0, end), projection, (use) => gauge.titleOf(use));
}

function summaryRequest(
  { query, gauge }: Loop,
  { prompt, window }: { readonly prompt: string; readonly window: number },
  { model, facts }: ResolvedModel,
): ModelRequest {
  const { runtime, cacheKey, meter } = query;
  const left = window - meter.corrected(gauge.model, textTokens(SUMMARY_SYSTEM) + textTokens(prompt));
  return {
    model,
    system: [{ text: SUMMARY_SYSTEM, cacheBreakpoint: false }],
    messages: [
      {
        id: "summary_request",
        role: "user",
        content: [{ type: "text", text: prompt }],
        createdAt: runtime.clock.now(),
      },
    ],
    tools: [],
    maxTokens: Math.min(SUMMARY_TOKENS, facts.maxOutputTokens, Math.max(MIN_OUTPUT, left)),
    cacheKey,
  };
}

/** The cost of the call, also if its summary is unusable; null if no response arrived. */
function spentOn(called: Extract<CallEnd, { type: "responded" | "failed" }>): SummaryCost | null {
  if (called.type === "failed") return null;
  const { response, usage, costUsd, model } = called;
  return { usage, stopReason: response.stopReason, costUsd, model };
}
