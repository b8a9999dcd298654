import { ProviderError } from "../../protocol/errors.ts";
import type { StopReason } from "../provider.ts";
import { parseToolInput } from "../tool-input.ts";

/** The parts of a received answer that determine how it ended. */
export interface Finished {
  /** The provider's `finish_reason`; empty if it gave none. */
  readonly finish: string;
  readonly refused: boolean;
  readonly calls: readonly { readonly json: string }[];
}

/** Reasons for an answer that the model completed. */
const COMPLETE: ReadonlySet<string> = new Set([
  "stop",
  "tool_calls",
  "function_call",
  "tool_use",
  "end_turn",
  "stop_sequence",
  "eos",
]);

/**
 * Why an answer ended. Some providers say `stop` even if there are calls, so the content decides. After an unknown
 * reason, a call with incomplete arguments counts as cut off, so that it is not run. Source of the reasons: OpenAI,
 * Mistral (`model_length`) and Zhipu (`sensitive`, `model_context_window_exceeded`) docs, chat completion.
 */
export function stopReasonOf({ finish, calls, refused }: Finished): StopReason {
  if (refused) return "refusal";
  const reason = reasonOf(finish);
  switch (reason) {
    case "length":
    case "max_tokens":
    case "model_length":
    case "model_context_window_exceeded":
      return "max_tokens";
    case "content_filter":
    case "sensitive":
      return "refusal";
    default:
      if (!COMPLETE.has(reason) && isArriving(calls.at(-1))) return "max_tokens";
      return calls.length > 0 ? "tool_use" : "end_turn";
  }
}

/** Gateways to Google write reasons in capitals, and Google adds details: `content_filter: PROHIBITED_CONTENT`. */
function reasonOf(finish: string): string {
  return finish.toLowerCase().replace(/:.*/s, "");
}

/** Throws if the reason is a failure of the provider. Source: OpenRouter, Zhipu and DeepSeek docs. */
export function throwIfFailed(finish: string): void {
  switch (reasonOf(finish)) {
    case "error":
      throw new ProviderError("provider_failed", "the answer ended with an error");
    case "network_error":
      throw new ProviderError("provider_failed", "the answer ended with a network error of the provider's");
    case "insufficient_system_resource":
      throw new ProviderError("overloaded", "the answer was interrupted for lack of the provider's resources");
    case "function_call_filter": // Google's
    case "malformed_function_call":
      throw new ProviderError("incomplete_stream", "the model began a call that its provider could not read");
    default:
  }
}

/** Whether a call's arguments are incomplete, or missing so far. */
export function isArriving(call: Finished["calls"][number] | undefined): boolean {
  return call !== undefined && parseToolInput(call.json, true).invalidJson !== undefined;
}
