import type { Log } from "../protocol/log.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";
import type { Timers } from "./timers.ts";

export interface DueWaking {
  readonly store: Pick<Store, "inbox">;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly timers: Timers;
  readonly wake: (sessionIds: readonly string[]) => Promise<void>;
}

/** How long until the next due event is looked for again: timers know nothing of clocks that are set and machines that sleep. Milliseconds. */
const LOOK_AGAIN_MS = 60_000;

/** How long until what failed is tried again. Milliseconds. */
const RETRY_MS = 5_000;

/** Wakes sessions when what waits for them falls due. */
export class DueEvents {
  readonly #options: DueWaking;
  #cancelDue: (() => void) | null = null;
  #isOn = false;
  /** What was due by then has been woken. Milliseconds since the epoch. */
  #wokenUntil = 0;

  constructor(options: DueWaking) {
    this.#options = options;
  }

  /** With what is due already. */
  start(): Promise<void> {
    this.#isOn = true;
    return this.#wakeDue();
  }

  stop(): void {
    this.#isOn = false;
  }

  /** Whether what is due then has been looked for already, so that whoever stores it now wakes it. */
  isPast(dueAt: number): boolean {
    return dueAt <= this.#wokenUntil;
  }

  /** Sleeps until the next timer is due. */
  async arm(): Promise<void> {
    const { store, runtime, timers } = this.#options;
    this.#cancelDue?.();
    const due = await store.inbox.nextDue(this.#wokenUntil);
    if (due === null || !this.#isOn) return;
    const waitMs = Math.min(Math.max(0, due - runtime.clock.now()), LOOK_AGAIN_MS);
    this.#cancelDue = timers.after(waitMs, () => this.#fire());
  }

  #fire(): void {
    this.#wakeDue().catch((error: unknown) => {
      if (!this.#isOn) return;
      this.#options.log.error({ err: error }, "timers_failed");
      this.#options.timers.after(RETRY_MS, () => this.#fire());
    });
  }

  async #wakeDue(): Promise<void> {
    const { store, runtime, wake } = this.#options;
    const now = runtime.clock.now();
    // Before it is read: what is stored meanwhile, and due already, is woken by whoever stores it.
    this.#wokenUntil = now;
    await wake(await store.inbox.sessionsToWake(now));
    await this.arm();
  }
}
