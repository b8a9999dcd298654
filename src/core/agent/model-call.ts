import { CallCharge } from "../budget/call-charge.ts";
import { BudgetStop } from "../budget/run-budget.ts";
import { isDatabaseUnavailable } from "../protocol/database-failure.ts";
import { type AppError, ProviderError, toAppError } from "../protocol/errors.ts";
import type { BudgetExceeded, QueryEvent } from "../protocol/events.ts";
import { withRef } from "../protocol/explain.ts";
import { sleepUnlessAborted } from "../protocol/runtime.ts";
import type { Usage } from "../protocol/usage.ts";
import { costOf, type ModelRequest, type ModelResponse, type ResolvedModel } from "../providers/provider.ts";
import { isOutage, nextTryMs } from "../providers/retry.ts";
import { nextModel } from "./context-gauge.ts";
import { errorOfBoth, fallbackFor, fallbackStatus, mayFallBack } from "./fallback.ts";
import type { Query, QueryRun } from "./query-input.ts";
import { retryStatus } from "./retry-status.ts";

export interface ModelCall extends QueryRun {
  readonly requestFor: (resolved: ResolvedModel) => ModelRequest;
  /** False for internal calls, such as summaries, whose text people do not see. */
  readonly isShown: boolean;
}

/** How a model call ended. `whenAborted` means that the signal ended it, whatever the reason. */
export type CallEnd =
  | {
      readonly type: "responded";
      /** The response. Its usage is as the provider counted it, zeros if it counted nothing. */
      readonly response: ModelResponse;
      /** The usage that is charged. */
      readonly usage: Usage;
      readonly costUsd: number | null;
      /** The model that answered, as `provider/model`. */
      readonly model: string;
    }
  | { readonly type: "failed"; readonly error: AppError }
  | { readonly type: "over_budget"; readonly outcome: BudgetExceeded }
  | { readonly type: "aborted" };

/**
 * Makes one model call and streams its text as tokens. Retries by the rules of retry.ts and discards text that a failed
 * try has shown. If retrying does not help, the run switches to its fallback model, once.
 */
export async function* callModel(call: ModelCall, signal: AbortSignal): AsyncGenerator<QueryEvent, CallEnd> {
  const { query, run } = call;
  const startedAt = query.runtime.clock.now();
  let first: AppError | null = null;
  for (;;) {
    const model = nextModel(call);
    const end: CallOutcome = yield* callOne(call, model, signal);
    if (end.type !== "failed") return end;
    const fallback = await fallbackFor(query, run, end.error);
    if (fallback === null) {
      const error = errorOfBoth(first, end.error, query.runtime.clock.now() - startedAt);
      return { type: "failed", error: logged(error, model, query) };
    }
    await run.modelSwitched(fallback.ref);
    if (end.shown) yield { type: "text_discarded" };
    yield { type: "status", text: fallbackStatus(end.error, fallback.model) };
    first = end.error;
  }
}

/** `shown` means that people have seen text of the failed try. */
type CallOutcome =
  | Exclude<CallEnd, { type: "failed" }>
  | (Extract<CallEnd, { type: "failed" }> & { readonly shown: boolean });

async function* callOne(call: ModelCall, model: string, signal: AbortSignal): AsyncGenerator<QueryEvent, CallOutcome> {
  const { log, registry, runtime } = call.query;
  const since = new Map<string, number>();
  for (let attempt = 0; ; attempt += 1) {
    let one: Try | null = null;
    try {
      const resolved = await registry.resolve(model);
      signal.throwIfAborted();
      const request = call.requestFor(resolved);
      const { contextWindow } = resolved.facts;
      const charge = new CallCharge({ model, request, contextWindow, meter: call.query.meter });
      one = { resolved, model, request, charge, isShown: call.isShown, shown: false };
      const response = yield* stream(one, signal);
      const usage = charge.counted();
      return { type: "responded", response, usage, costUsd: costOf(usage, resolved.facts.price), model };
    } catch (thrown) {
      if (thrown instanceof BudgetStop) return { type: "over_budget", outcome: thrown.outcome };
      // The failure is the database's and not the model's. The run continues once the database is back.
      if (isDatabaseUnavailable(thrown)) throw thrown;
      const error = toAppError(thrown);
      if (one !== null)
        await settleFailed(call, one, { error, wasWaiting: signal.aborted || error.code === "stalled" });
      if (signal.aborted) return { type: "aborted" };
      const shown = one?.shown ?? false;
      const delayMs = retryWait(error, { attempt, since, call });
      if (!(error instanceof ProviderError) || delayMs === null) return { type: "failed", error, shown };

      log.warn({ err: error, code: error.code, attempt, delayMs, model }, "model_retry");
      if (shown) yield { type: "text_discarded" };
      yield retryStatus(error, { attempt, delayMs });
      if (!(await sleepUnlessAborted(runtime.clock, delayMs, signal))) return { type: "aborted" };
    }
  }
}

interface FailureHistory {
  readonly attempt: number;
  /** When each kind of failure first occurred, in milliseconds since the Unix epoch. */
  readonly since: Map<string, number>;
  readonly call: ModelCall;
}

/** Milliseconds until the next try; null to give up on this model. */
function retryWait(error: AppError, { attempt, since, call: { query, run } }: FailureHistory): number | null {
  if (!(error instanceof ProviderError)) return null;
  const { clock, random } = query.runtime;
  const kind = isOutage(error) ? "outage" : error.code;
  const first = since.get(kind) ?? clock.now();
  since.set(kind, first);
  const tried = { attempt, forMs: clock.now() - first, hasFallback: mayFallBack(query, run) };
  return nextTryMs(error, tried, random);
}

interface Try {
  readonly resolved: ResolvedModel;
  readonly model: string;
  readonly request: ModelRequest;
  readonly charge: CallCharge;
  readonly isShown: boolean;
  /** Whether people have seen text of this try. */
  shown: boolean;
}

/**
 * Charges a failed try. `wasWaiting` means that we gave up waiting, and not that the provider refused. Throws what the
 * journal throws.
 */
async function settleFailed(
  { query, run }: ModelCall,
  { charge, model, resolved }: Try,
  { error, wasWaiting }: { readonly error: AppError; readonly wasWaiting: boolean },
): Promise<void> {
  const usage = charge.whenCut(wasWaiting);
  const costUsd = usage === null ? 0 : costOf(usage, resolved.facts.price);
  try {
    await run.callFailed({ model, usage, costUsd });
  } catch (unsettled) {
    query.log.warn({ err: error, code: error.code, model }, "model_call_unsettled");
    throw unsettled;
  }
}

async function* stream(one: Try, signal: AbortSignal): AsyncGenerator<QueryEvent, ModelResponse> {
  const { resolved, request, charge } = one;
  const { provider, model } = resolved;
  const detail = { provider: provider.id, providerName: provider.name, model };
  for await (const event of provider.createMessageStream(request, signal)) {
    charge.see(event);
    if (event.type === "end") return event.response;
    if (event.type === "status") yield event;
    if (one.isShown && event.type === "text" && event.text !== "") {
      one.shown = true;
      yield { type: "token", text: event.text };
    }
  }
  throw new ProviderError("incomplete_stream", "the stream ended without its terminal marker", { detail });
}

function logged(error: AppError, model: string, { log, runtime }: Query): AppError {
  const reported = error.code === "defect" ? withRef(error, runtime.random) : error;
  log.error({ err: error, code: reported.code, ref: reported.detail.ref, model }, "model_call_failed");
  return reported;
}
