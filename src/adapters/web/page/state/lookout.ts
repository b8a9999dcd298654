/** While something goes on, and while nothing does: jobs come due by themselves. Milliseconds. */
const BUSY_MS = 2_000;
const CALM_MS = 30_000;
/** After a change: several come at once. Milliseconds. */
const SOON_MS = 250;

export interface Lookout {
  readonly now: () => void;
  /** Something has changed. */
  readonly soon: () => void;
  /** The answer has come; looks again in a while, earlier when something goes on. */
  readonly answered: (isBusy: boolean) => void;
}

/** When to ask how everything stands: what runs do in the store is not all told by their messages. */
export function createLookout(look: () => void): Lookout {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  const arm = (delayMs: number): void => {
    const at = performance.now() + delayMs;
    if (at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => {
      dueAt = Number.POSITIVE_INFINITY;
      // Nobody sees a page in the background; it looks when it is seen again.
      if (document.visibilityState !== "visible") return;
      look();
      // Should no answer come.
      arm(CALM_MS);
    }, delayMs);
  };
  document.addEventListener("visibilitychange", () => arm(0));
  return { now: () => arm(0), soon: () => arm(SOON_MS), answered: (isBusy) => arm(isBusy ? BUSY_MS : CALM_MS) };
}
