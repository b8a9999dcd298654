import { AppError, type ErrorCode } from "../protocol/errors.ts";
import type { OpenRun } from "./open-run.ts";
import type { Query } from "./query-input.ts";
import { failureCause } from "./retry-status.ts";

/** Failures that another model may not share and that waiting does not fix soon enough. */
const FAILS_OVER: ReadonlySet<ErrorCode> = new Set([
  "overloaded",
  "rate_limited",
  "quota",
  "network",
  "provider_failed",
]);

export interface Fallback {
  /** `provider/model`. */
  readonly ref: string;
  /** The model's own name, for people. */
  readonly model: string;
}

/** Whether a fallback model is configured and the run has not switched to it yet. */
export function mayFallBack({ config }: Pick<Query, "config">, run: Pick<OpenRun, "state">): boolean {
  const ref = config.fallbackModel;
  return ref !== undefined && ref !== config.model && run.state.switchedTo === null;
}

/**
 * The model to continue with after a failure. Null if the run cannot switch: it has no usable fallback, has already
 * switched, or failed for another reason.
 */
export async function fallbackFor(query: Query, run: OpenRun, error: AppError): Promise<Fallback | null> {
  const { config, registry, log } = query;
  const ref = config.fallbackModel;
  if (ref === undefined || !mayFallBack(query, run) || !FAILS_OVER.has(error.code)) return null;
  try {
    const { model } = await registry.resolve(ref);
    return { ref, model };
  } catch (unusable) {
    log.error({ err: unusable, model: ref }, "fallback_unusable");
    return null;
  }
}

/** `⚠ claude-opus-5-5 is overloaded; going on with gpt-6-sol.` */
export function fallbackStatus(error: AppError, model: string): string {
  return `⚠ ${failureCause(error)}; going on with ${model}.`;
}

/** The fallback model's error. If both models were overloaded, the error says so and for how long they were tried. */
export function errorOfBoth(first: AppError | null, last: AppError, triedMs: number): AppError {
  if (first?.code !== "overloaded" || last.code !== "overloaded") return last;
  const detail = { ...last.detail, bothForS: String(Math.max(1, Math.round(triedMs / 1000))) };
  return new AppError("overloaded", last.message, { cause: last, detail, retryAfterMs: last.retryAfterMs });
}
