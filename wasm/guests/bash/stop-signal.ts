import { stopped } from "deckhand:sandbox/clock@0.1.0";

/** How often commands that wait look whether they are stopped. Milliseconds. */
const EVERY_MS = 50;

/** Aborts once the call is stopped: for a shell that is busy whenever it looks, and for one that sleeps by a timer. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let aborted = false;
  let isAborting = false;
  const look = (): boolean => {
    if (aborted || isAborting || !stopped()) return aborted;
    isAborting = true;
    controller.abort();
    return aborted;
  };
  const set = (value: boolean): void => {
    aborted = value;
  };
  Object.defineProperty(signal, "aborted", { get: look, set });
  setInterval(look, EVERY_MS);
  return signal;
}
