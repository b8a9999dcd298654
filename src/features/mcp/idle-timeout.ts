import type { Clock } from "../../core/protocol/runtime.ts";

/** A timeout that aborts its signal after a silence; `restart` begins it again, and holding it stops the clock. */
export interface IdleTimeout extends Disposable {
  readonly signal: AbortSignal;
  restart(): void;
  /** Stops the clock until the returned function is called. */
  hold(): () => void;
}

export function createIdleTimeout(clock: Clock, quietMs: number): IdleTimeout {
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
    restart: begin,
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
