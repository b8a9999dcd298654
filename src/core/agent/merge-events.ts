import { SuspendSignal } from "../protocol/signals.ts";

/**
 * Runs `work` and yields the events it emits as they arrive. Ends when the work ends, and throws what it throws. If the
 * consumer leaves early, the work is aborted through its signal and awaited, so that nothing keeps running unowned.
 */
export async function* mergeEvents<E>(
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
