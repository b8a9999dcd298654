import type { AppError, ProviderError } from "../protocol/errors.ts";
import type { Status } from "../protocol/events.ts";
import { isOutage, retryDelayMs } from "../providers/retry.ts";

/**
 * The status that people read while a failed model call waits for its next try. `attempt` counts from 0. The status of
 * an outage is transient, because the end of the run tells how it ended.
 */
export function retryStatus(error: ProviderError, { attempt, delayMs }: { attempt: number; delayMs: number }): Status {
  if (isOutage(error)) {
    const seconds = Math.max(1, Math.round(delayMs / 1000));
    return { type: "status", text: `⚠ ${failureCause(error)}; trying again in ${seconds} s.`, passes: true };
  }
  const retries = Math.max(attempt + 1, retriesOf(error));
  return {
    type: "status",
    text: `⚠ ${failureCause(error)}; trying again${wait(delayMs)} (${attempt + 1} of ${retries}).`,
  };
}

/** How often retry.ts, the only place with these rules, would retry a failure of this kind. */
function retriesOf(error: ProviderError): number {
  let retries = 0;
  while (retryDelayMs(error, retries, { next: () => 0 }) !== null) retries += 1;
  return retries;
}

/** `Anthropic does not answer (500)` */
export function failureCause({ code, detail }: AppError): string {
  const provider = detail.providerName ?? "The model provider";
  switch (code) {
    case "network":
      return `${provider} can't be reached`;
    case "provider_failed":
      return `${provider} is not responding${detail["status"] === undefined ? "" : ` (${detail["status"]})`}`;
    case "quota":
      return `The ${provider} account has reached its spending or usage limit`;
    case "stalled":
      return "The model went silent";
    case "empty_response":
      return "The model returned nothing";
    case "incomplete_stream":
      return "The model stopped in the middle of its answer";
    case "overloaded":
      return `${detail.model ?? "The model"} is overloaded`;
    case "rate_limited":
      return `${provider} is limiting my requests right now`;
    default:
      return `${provider} failed`;
  }
}

/** Only delays that people would notice are mentioned. */
function wait(delayMs: number): string {
  const seconds = Math.round(delayMs / 1000);
  return seconds < 3 ? "" : ` in ${seconds} s`;
}
