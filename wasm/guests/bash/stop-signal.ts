import { stopped } from "deckhand:sandbox/clock@0.1.0";

/** How often commands that wait look whether they are stopped. Milliseconds. */
const EVERY_MS = 50;

/** A shell that is busy looks several times before each command: each time to ask the host would take a fifth of its time. */
const ASKS_EVERY = 4;

/** Aborts once the call is stopped: for a shell that is busy whenever it looks, and for one that sleeps by a timer. */
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
