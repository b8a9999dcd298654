import { stopped } from "deckhand:sandbox/clock@0.1.0";

/** Interval at which the guest polls for a stop while a command waits, in milliseconds. */
const EVERY_MS = 50;

/** Only every fourth look asks the host: a busy shell looks often, and always asking would cost a fifth of its time. */
const ASKS_EVERY = 4;

/** Returns a signal that aborts once the call is stopped: a busy shell polls it, and a timer covers one that sleeps. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let aborted = false;
  let isAborting = false;
  let looks = 0;
  const ask = (): void => {
    if (aborted || isAborting || !stopped()) return;
    isAborting = true;
    controller.abort();
  };
  const look = (): boolean => {
    looks += 1;
    if (looks % ASKS_EVERY === 0) ask();
    return aborted;
  };
  const set = (value: boolean): void => {
    aborted = value;
  };
  Object.defineProperty(signal, "aborted", { get: look, set });
  setInterval(ask, EVERY_MS);
  return signal;
}
