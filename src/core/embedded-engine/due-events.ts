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
  /** The next look; null where none is planned. Milliseconds since the epoch. */
  #next: { readonly at: number; readonly cancel: () => void } | null = null;
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
    return dueAt <= this.#lookedUntil();
  }

  /** Sleeps until the next timer is due. */
  async arm(): Promise<void> {
    const { store, runtime } = this.#options;
    const due = await store.inbox.nextDue(this.#lookedUntil());
    if (due !== null) this.#lookAfter(Math.min(Math.max(0, due - runtime.clock.now()), LOOK_AGAIN_MS));
  }

  /** No later than now: where the clock was set back, what is due until it is as late again has not been looked for. */
  #lookedUntil(): number {
    return Math.min(this.#wokenUntil, this.#options.runtime.clock.now());
  }

  /** There is one next look, the earliest that anybody has asked for, however many ask at once. */
  #lookAfter(waitMs: number): void {
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
      this.#lookAfter(RETRY_MS);
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
