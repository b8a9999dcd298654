import { ProviderError } from "../protocol/errors.ts";
import type { Clock } from "../protocol/runtime.ts";

export type Fetch = typeof globalThis.fetch;

export interface StallLimits {
  /** Until the response's headers arrive. */
  readonly answerMs: number;
  /** Between two bytes of the body. */
  readonly byteMs: number;
  /** Between two events with content, if only pings arrive. */
  readonly contentMs: number;
}

/** After 45 s without a byte, a model counts as stalled. */
export const STALL_LIMITS: StallLimits = { answerMs: 45_000, byteMs: 45_000, contentMs: 300_000 };

/**
 * A fetch whose connection and body cannot hang, because the SDKs' own timeouts end with the headers. Fails with
 * ProviderError `stalled`. An abort of the caller's signal ends both at once.
 */
export function stallGuardedFetch(fetch: Fetch, clock: Clock, limits: StallLimits): Fetch {
  return async (input, init) => {
    const answer = await answered({ fetch, clock, limitMs: limits.answerMs }, input, init);
    if (answer.body === null) return answer;
    const body = guardedBody(answer.body, { clock, limitMs: limits.byteMs });
    return new Response(body, { status: answer.status, statusText: answer.statusText, headers: answer.headers });
  };
}

async function answered(
  guard: { fetch: Fetch; clock: Clock; limitMs: number },
  ...[input, init]: Parameters<Fetch>
): Promise<Response> {
  const silence = new AbortController();
  const cancel = guard.clock.after(guard.limitMs, () => silence.abort(stalled("no answer", guard.limitMs)));
  const signals = init?.signal ? [init.signal, silence.signal] : [silence.signal];
  try {
    return await guard.fetch(input, { ...init, signal: AbortSignal.any(signals) });
  } catch (error) {
    throw silence.signal.aborted ? silence.signal.reason : error;
  } finally {
    cancel();
  }
}

/** Passes bytes on, and fails if none arrives for `limitMs`. */
function guardedBody(
  body: ReadableStream<Uint8Array>,
  { clock, limitMs }: { clock: Clock; limitMs: number },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = await rejectIfStalled(reader.read(), { clock, limitMs, what: "no byte" }).catch(
        (error: unknown) => {
          giveUp(reader.cancel(error));
          throw error;
        },
      );
      if (chunk.done) controller.close();
      else controller.enqueue(chunk.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

export interface EventGuard {
  readonly clock: Clock;
  /** Milliseconds between two events. The SDKs swallow pings, so only content counts. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Passes on the events of `source`. Fails with `stalled` if none arrives within the limit, and with the signal's reason
 * as soon as it aborts, even while `source` hangs.
 */
export async function* guardedEvents<T>(source: AsyncIterable<T>, guard: EventGuard): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let finished = false;
  try {
    for (;;) {
      const next = await rejectIfStalled(iterator.next(), { ...guard, what: "no content" });
      if (next.done === true) break;
      yield next.value;
    }
    finished = true;
  } finally {
    // Not awaited: if a source hangs in `next`, its `return` would hang, too.
    if (!finished && iterator.return !== undefined) giveUp(iterator.return());
  }
}

interface Limit {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly what: string;
  readonly signal?: AbortSignal;
}

/** Settles like `work`, or rejects first: with `stalled` after the limit, or with the reason of an abort. */
export function rejectIfStalled<T>(work: Promise<T>, { clock, limitMs, what, signal }: Limit): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      release();
      reject(signal?.reason);
    };
    const cancelTimer = clock.after(limitMs, () => {
      release();
      reject(stalled(what, limitMs));
    });
    const release = () => {
      cancelTimer();
      signal?.removeEventListener("abort", onAbort);
    };
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(release).catch(reject);
  });
}

/** Ignores failures of work that was given up. */
function giveUp(ending: Promise<unknown>): void {
  ending.catch(() => undefined);
}

function stalled(what: string, limitMs: number): ProviderError {
  return new ProviderError("stalled", `${what} for ${limitMs} ms`);
}
