import type { Log } from "../protocol/log.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";
import type { Timers } from "./timers.ts";

export interface DueEventsScope {
  readonly store: Pick<Store, "inbox">;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly timers: Timers;
  readonly wake: (sessionIds: readonly string[]) => Promise<void>;
}

/**
 * Maximum time until the next check for due events, in milliseconds. Timers do not notice clock changes or machine
 * sleep.
 */
const LOOK_AGAIN_MS = 60_000;

/** Delay before a failed check is tried again, in milliseconds. */
const RETRY_MS = 5_000;

/** Wakes sessions when their waiting events fall due. */
export class DueEvents {
  readonly #options: DueEventsScope;
  /** The next planned check, in milliseconds since the epoch; null if none is planned. */
  #next: { readonly at: number; readonly cancel: () => void } | null = null;
  #isOn = false;
  /** Events due by this time have been woken, in milliseconds since the epoch. */
  #wokenUntil = 0;

  constructor(options: DueEventsScope) {
    this.#options = options;
  }

  /** Starts, beginning with events that are already due. */
  start(): Promise<void> {
    this.#isOn = true;
    return this.#wakeDue();
  }

  stop(): void {
    this.#isOn = false;
  }

  /** Whether a time has already been checked, so that whoever stores an event due then must wake its session. */
  isPast(dueAt: number): boolean {
    return dueAt <= this.#lookedUntil();
  }

  /** Plans a check for the next due event. */
  async arm(): Promise<void> {
    const { store, runtime } = this.#options;
    const due = await store.inbox.nextDue(this.#lookedUntil());
    if (due !== null) this.#scheduleLook(Math.min(Math.max(0, due - runtime.clock.now()), LOOK_AGAIN_MS));
  }

  /**
   * The time up to which events were checked, never later than now: if the clock was set back, the time after now has
   * to be checked again.
   */
  #lookedUntil(): number {
    return Math.min(this.#wokenUntil, this.#options.runtime.clock.now());
  }

  /** Plans the next check. There is only one, at the earliest time that was asked for. */
  #scheduleLook(waitMs: number): void {
    const { runtime, timers } = this.#options;
    const now = runtime.clock.now();
    const at = Math.max(now, Math.min(now + waitMs, this.#next?.at ?? Number.POSITIVE_INFINITY));
    if (!this.#isOn || at === this.#next?.at) return;
    this.#next?.cancel();
    this.#next = { at, cancel: timers.after(at - now, () => this.#fire()) };
  }

  #fire(): void {
    this.#next = null;
    this.#wakeDue().catch((error: unknown) => {
      if (!this.#isOn) return;
      this.#options.log.error({ err: error }, "timers_failed");
      this.#scheduleLook(RETRY_MS);
    });
  }

  async #wakeDue(): Promise<void> {
    const { store, runtime, wake } = this.#options;
    const now = runtime.clock.now();
    // Set before the read. Whoever stores an event that is already due meanwhile wakes its session.
    this.#wokenUntil = now;
    await wake(await store.inbox.sessionsToWake(now));
    await this.arm();
  }
}
