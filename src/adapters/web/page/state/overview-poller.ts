/** Polling intervals while a run works and while none does, when jobs may still come due. In milliseconds. */
const BUSY_MS = 2_000;
const IDLE_MS = 30_000;
/** Debounces changes, since several arrive at once. In milliseconds. */
const DEBOUNCE_MS = 250;

export interface OverviewPoller {
  readonly now: () => void;
  /** Something has changed. */
  readonly soon: () => void;
  /** The overview has arrived: schedules the next look, which is sooner while a run works. */
  readonly received: (isBusy: boolean) => void;
}

/** Schedules requests for an overview, because messages do not show everything that runs change in the store. */
export function createOverviewPoller(request: () => void): OverviewPoller {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  const arm = (delayMs: number): void => {
    const at = performance.now() + delayMs;
    if (at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => {
      dueAt = Number.POSITIVE_INFINITY;
      // A page in the background asks again once it becomes visible.
      if (document.visibilityState !== "visible") return;
      request();
      // Retries if no answer arrives.
      arm(IDLE_MS);
    }, delayMs);
  };
  document.addEventListener("visibilitychange", () => arm(0));
  return { now: () => arm(0), soon: () => arm(DEBOUNCE_MS), received: (isBusy) => arm(isBusy ? BUSY_MS : IDLE_MS) };
}
