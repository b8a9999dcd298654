import { startClock } from "./clock.ts";
import { runDueTimer } from "./timers.ts";

type Progress = { readonly tag: "done"; readonly val: string } | { readonly tag: "idle"; readonly val: number };

/** Exports of a guest of the world `programs` (wasm/wit/sandbox.wit). */
interface Process {
  start(input: string): Promise<void>;
  step(): Promise<Progress>;
}

export interface EventLoop {
  /** Resolves when nothing more can happen by itself: no timer is set and nothing is ready. */
  idle(): Promise<void>;
  /** Rejects with an error thrown by a timer's function. */
  readonly failed: Promise<never>;
}

/** Turns an asynchronous function into a guest. Between two steps everything that is ready runs. */
export function processOf(run: (input: string, loop: EventLoop) => Promise<string>): Process {
  const end: { output?: string; error?: unknown } = {};
  const waiting: (() => void)[] = [];
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const loop: EventLoop = { idle: () => new Promise((resolve) => waiting.push(resolve)), failed };
  return {
    start: async (input) => {
      startClock();
      run(input, loop).then(
        (output) => Object.assign(end, { output }),
        (error: unknown) => Object.assign(end, { error }),
      );
    },
    step: async () => {
      if ("error" in end) throw String(end.error);
      if (end.output !== undefined) return { tag: "done", val: end.output };
      return { tag: "idle", val: next(waiting, fail) };
    },
  };
}

/** Milliseconds until there is work again. */
function next(waiting: (() => void)[], fail: (error: unknown) => void): number {
  try {
    const waitMs = runDueTimer();
    if (waitMs !== null) return waitMs;
  } catch (error) {
    fail(error);
    return 0;
  }
  if (waiting.length === 0) throw "it waits for something that never comes";
  for (const resolve of waiting.splice(0)) resolve();
  return 0;
}
