import { SuspendSignal } from "../protocol/signals.ts";

/**
 * Runs `work` and yields the events it emits, as they come; ends when the work ends, throws what it throws.
 * A consumer that leaves aborts the work (its signal) and waits for its end, so nothing runs on unowned.
 */
export async function* eventsOf<E>(
  work: (emit: (event: E) => void, signal: AbortSignal) => Promise<void>,
  outer: AbortSignal,
): AsyncGenerator<E, void> {
  const left = new AbortController();
  const waiting: E[] = [];
  let ended = false;
  let wake = () => {};
  const emit = (event: E) => {
    waiting.push(event);
    wake();
  };
  const run = async (): Promise<{ readonly error: unknown } | null> => {
    try {
      await work(emit, AbortSignal.any([outer, left.signal]));
      return null;
    } catch (error) {
      return { error };
    } finally {
      ended = true;
      wake();
    }
  };
  const failure = run();

  try {
    for (;;) {
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event;
      if (ended) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    if (!ended) left.abort(new SuspendSignal("nobody follows the run any more"));
    await failure;
  }
  const failed = await failure;
  if (failed !== null) throw failed.error;
}
