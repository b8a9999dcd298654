import { endlessRepeat } from "../budget/repeated-calls.ts";
import { isResume, joinReply, MAX_RESUMES } from "../context/resume.ts";
import { type CancelCause, causeText } from "../protocol/cancel-cause.ts";
import { ProviderError } from "../protocol/errors.ts";
import type { QueryOutcome } from "../protocol/events.ts";
import { type Message, toolUsesOf } from "../protocol/messages.ts";
import type { RunState } from "./run-state.ts";

/**
 * What the loop does next. `skip_calls` ends calls without running them, with `reason` as the model's result. `resume`
 * asks for the rest of a response that the output limit cut off.
 */
export type NextStep =
  | { readonly type: "call_model"; readonly turn: number }
  | { readonly type: "run_calls"; readonly message: Message }
  | { readonly type: "skip_calls"; readonly reason: string }
  | { readonly type: "append_results"; readonly message: Message }
  | { readonly type: "resume" }
  | { readonly type: "end"; readonly outcome: QueryOutcome };

export interface RunBounds {
  readonly maxTurns: number;
  /** The model's own name, for error messages. */
  readonly model: string;
  /** Who stopped the run; null if nobody did. */
  readonly cancelledBy: CancelCause | null;
}

/**
 * Decides the next step from the end of the run's history, regardless of which process wrote it. A response's calls are
 * run and their results appended. A response that was cut off is resumed. One without calls ends the run, and the model
 * answers anything else. A finished run stays finished even if it is cancelled afterwards.
 */
export function nextStep(state: RunState, bounds: RunBounds): NextStep {
  const response = state.turns > 0 ? state.messages.findLast((message) => message.role === "assistant") : undefined;
  if (response === undefined) return nextCall(state, bounds);

  const isLast = state.messages.at(-1) === response;
  const hasCalls = toolUsesOf(response.content).length > 0;
  if (isLast && hasCalls) return stepOfCalls(state, response, bounds);

  if (state.lastStopReason === "refusal") return end(refused(bounds));
  if (state.lastStopReason === "max_tokens") return stepOfCut(state, response, bounds);
  if (!isLast) return nextCall(state, bounds);
  return end({ type: "end_turn", message: joinReply(state.messages, state.turns) ?? response });
}

function end(outcome: QueryOutcome): NextStep {
  return { type: "end", outcome };
}

function nextCall(state: RunState, { maxTurns, cancelledBy }: RunBounds): NextStep {
  if (cancelledBy !== null) return end({ type: "cancelled", cause: cancelledBy });
  if (state.turns >= maxTurns) return end({ type: "max_turns", turns: state.turns });
  const repeat = endlessRepeat(state);
  if (repeat !== null) return end({ type: "error", error: repeat });
  return { type: "call_model", turn: state.turns + 1 };
}

function stepOfCalls(state: RunState, message: Message, { cancelledBy }: RunBounds): NextStep {
  if (state.calls.every((call) => call.status === "ended")) return { type: "append_results", message };
  if (cancelledBy !== null) return { type: "skip_calls", reason: `Cancelled by ${causeText(cancelledBy)}.` };
  switch (state.lastStopReason) {
    case "max_tokens":
      return { type: "skip_calls", reason: "Not run: the output token limit cut the response off." };
    case "refusal":
      return { type: "skip_calls", reason: "Not run: the response was withdrawn." };
    default:
      return { type: "run_calls", message };
  }
}

/**
 * Asks for the rest of a response that was cut off, until that has failed too often. Then the run ends with the partial
 * text.
 */
function stepOfCut(state: RunState, response: Message, bounds: RunBounds): NextStep {
  const since = state.messages.slice(state.messages.lastIndexOf(response) + 1);
  if (since.some(isResume)) return nextCall(state, bounds);
  const partial = joinReply(state.messages, state.turns) ?? response;
  if (state.cuts > MAX_RESUMES) return end({ type: "max_tokens", partial });
  if (state.turns >= bounds.maxTurns) return end({ type: "max_turns", turns: state.turns, partial });
  if (bounds.cancelledBy !== null) return end({ type: "cancelled", cause: bounds.cancelledBy });
  return { type: "resume" };
}

function refused({ model }: RunBounds): QueryOutcome {
  const error = new ProviderError("refused", "the model declined to answer", { detail: { model } });
  return { type: "error", error };
}
