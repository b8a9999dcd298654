import type { Clock } from "../../core/protocol/runtime.ts";

/** Aborts when nothing was heard for so long; `heard` begins anew, and while it is held it does not run. */
export interface Patience extends Disposable {
  readonly signal: AbortSignal;
  heard(): void;
  /** Until it is called again, no time passes. */
  hold(): () => void;
}

export function patience(clock: Clock, quietMs: number): Patience {
  const over = new AbortController();
  let held = 0;
  let isDone = false;
  let cancel = () => {};
  const begin = () => {
    cancel();
    cancel = held > 0 || isDone ? () => {} : clock.after(quietMs, () => over.abort());
  };
  begin();
  return {
    signal: over.signal,
    heard: begin,
    hold: () => {
      held += 1;
      begin();
      return () => {
        held -= 1;
        begin();
      };
    },
    [Symbol.dispose]: () => {
      isDone = true;
      cancel();
    },
  };
}
