import {
  type Claim,
  type DeliveryResult,
  REPEATABLE,
  type SessionEngine,
  type SessionHandler,
  type TurnContext,
} from "../engine/engine.ts";
import type { PostTarget } from "../engine/post-once.ts";
import { createTurnContext } from "../engine/turn-context.ts";
import { resumesRun, type SessionEvent, startsRun } from "../events/session-event.ts";
import { channelOf, type PlatformName } from "../platform/thread.ts";
import type { CancelCause } from "../protocol/cancel-cause.ts";
import { isDatabaseUnavailable } from "../protocol/database-failure.ts";
import { AppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { Runtime } from "../protocol/runtime.ts";
import { CancelSignal, SuspendSignal } from "../protocol/signals.ts";
import type { RunRow } from "../store/runs.ts";
import { type Applicant, applicantOf } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { type StoppedRun, stopRun } from "../subagents/children.ts";
import { wakeReleased } from "../subagents/queued-children.ts";
import { Admission, type AdmissionLimits } from "./admission.ts";
import { DueEvents } from "./due-events.ts";
import { nextWake, type OwnedWake } from "./next-wake.ts";
import { HeldSessions, type Placement } from "./placement.ts";
import { QueuePositions } from "./queue-positions.ts";
import { Retries } from "./retries.ts";
import { type NewEvent, type StoredDelivery, storeEvent } from "./store-event.ts";
import { Timers } from "./timers.ts";

export interface EmbeddedEngineOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly maxConcurrentRuns: number;
  /** Limits per person or channel. By default each gets a share that leaves room for others. */
  readonly placeLimits?: AdmissionLimits;
  readonly target: (platform: PlatformName) => PostTarget;
  /** Which platforms this process serves, all if absent. Sessions of others wait for another process. */
  readonly isServed?: (platform: PlatformName) => boolean;
  /** Assigns sessions to processes if there are several. Absent if this process runs them all. */
  readonly placement?: Placement;
}

/** Interval at which runs found waiting are begun, in milliseconds, so that running and new work comes first. */
const BEGIN_EVERY_MS = 20;

/** The share of the drain time that tool calls get. The rest is for finishing up after them. */
const DRAIN_SHARE = 0.8;

interface ActiveRun {
  readonly controller: AbortController;
  runId: string | null;
  finished: Promise<void>;
}

/**
 * Runs every session in this process, serially within a session and in parallel across sessions. All state is in the
 * database, so a start is a scan for interrupted runs and waiting events.
 */
export class EmbeddedEngine implements SessionEngine {
  readonly #options: EmbeddedEngineOptions;
  readonly #admission: Admission;
  readonly #active = new Map<string, ActiveRun>();
  /** Sessions that were woken while they ran and are checked again afterwards. */
  readonly #again = new Set<string>();
  readonly #suspend = new AbortController();
  readonly #positions: QueuePositions;
  readonly #retries: Retries;
  /** Sessions whose run is being begun before it has a slot. They count as active. */
  readonly #preparing = new Map<string, Promise<boolean>>();
  /** The work of beginning the runs that were found waiting. Never rejects. */
  #beginning: Promise<void> = Promise.resolve();
  #handler: SessionHandler | null = null;
  readonly #timers: Timers;
  readonly #due: DueEvents;
  readonly #held: HeldSessions;

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    this.#admission = new Admission(options.maxConcurrentRuns, options.placeLimits);
    this.#timers = new Timers(options.runtime.clock);
    this.#retries = new Retries(this.#timers);
    this.#due = new DueEvents({
      ...options,
      timers: this.#timers,
      wake: (ids) => (options.placement === undefined ? this.#wakeAll(ids) : options.placement.request(ids)),
    });
    this.#held = new HeldSessions((id) => this.#handler === null || this.#isBusy(id));
    this.#positions = new QueuePositions({
      waiting: () => this.#admission.waiting(),
      handler: () => this.#handler,
      after: (ms, fire) => this.#timers.after(ms, fire),
      log: options.log,
    });
  }

  async start(handler: SessionHandler): Promise<void> {
    this.#handler = handler;
    if (this.#options.placement === undefined) {
      const interrupted = await this.#options.store.runs.interrupted();
      await this.#wakeAll(interrupted.map(({ sessionId }) => sessionId));
    }
    await this.#due.start();
  }

  /** Runs a session that the placement assigned here. Resolves when nothing is left to do; never after `stop`. */
  async hold(sessionId: string): Promise<void> {
    const idle = this.#held.add(sessionId);
    await this.#tryWake(sessionId);
    return idle;
  }

  /** Aborts those runs of held sessions that any process has marked as stopped in the store. */
  async abortStopped(sessionIds: readonly string[] = this.#held.ids()): Promise<void> {
    const held = sessionIds.filter((id) => this.#held.has(id));
    if (held.length === 0) return;
    const stopped = await this.#options.store.runs.stoppedIn(held);
    const abort = async ({ id: runId, sessionId, cancelledBy }: RunRow) => {
      if (cancelledBy !== null && this.#held.has(sessionId)) await this.#abort({ sessionId, runId }, cancelledBy);
    };
    await Promise.all(stopped.map(abort));
  }

  async stop(drainMs: number): Promise<void> {
    this.#handler = null;
    this.#due.stop();
    this.#timers.cancelAll();
    this.#suspend.abort(new SuspendSignal("shutting down", drainMs * DRAIN_SHARE));
    const running = [this.#beginning, ...[...this.#active.values()].map((run) => run.finished)];
    const gaveUp = new AbortController();
    await Promise.race([Promise.all(running), this.#options.runtime.clock.sleep(drainMs, gaveUp.signal)]);
    gaveUp.abort();
  }

  async deliver(sessionId: string, event: SessionEvent, claim?: Claim): Promise<DeliveryResult> {
    const { delivered, opened } = await this.#store({ sessionId, event, claim });
    if (delivered === "new" && (startsRun(event) || resumesRun(event))) await this.#tryWake(sessionId, opened);
    return delivered;
  }

  async deliverAt(sessionId: string, event: SessionEvent, dueAt: number): Promise<"new" | "duplicate"> {
    const { delivered } = await this.#store({ sessionId, event, dueAt });
    if (delivered === "new" && this.#due.isPast(dueAt)) await this.#tryWake(sessionId);
    await this.#due.arm();
    return delivered === "new" ? "new" : "duplicate";
  }

  async #store(event: NewEvent): Promise<StoredDelivery> {
    try {
      return await storeEvent(event, this.#options);
    } catch (error) {
      // The event may be stored nevertheless, and a redelivery would only find a duplicate.
      if (isDatabaseUnavailable(error)) this.#wakeLater(event.sessionId, error, "delivery_in_doubt");
      throw error;
    }
  }

  async cancel(sessionId: string, runId: string, cause: CancelCause): Promise<void> {
    const run = { sessionId, runId };
    const { below, released } = await this.#options.store.transaction((tx) => stopRun(tx, run, cause));
    await Promise.all([run, ...below].map((each) => this.#abort(each, cause)));
    await wakeReleased(released, this);
  }

  /** Ends a run that is marked as stopped in the store, whether it is running, queued or parked. */
  async #abort({ sessionId, runId }: StoppedRun, cause: CancelCause): Promise<void> {
    const { placement } = this.#options;
    // Another process may be running it; if none is, the session is woken.
    if (placement !== undefined && !this.#held.has(sessionId)) await placement.publishStop({ sessionId, runId });
    // A run that is just being begun is queued in a moment.
    await this.#preparing.get(sessionId)?.catch(() => undefined);
    const active = this.#active.get(sessionId);
    if (active?.runId === runId) active.controller.abort(new CancelSignal(cause));
    else if (this.#admission.promote(sessionId)) this.#admit(sessionId);
    else await this.#tryWake(sessionId);
  }

  /** Number of running and waiting runs, for health and metrics. */
  load(): { running: number; waiting: number } {
    return { running: this.#active.size, waiting: this.#admission.waitingCount };
  }

  /** Sessions whose wakes have failed here and will be retried. */
  retrying(): readonly string[] {
    return this.#retries.waiting();
  }

  /** Wakes a session, or tries again later, because nobody delivers its stored events again. Never rejects. */
  async #tryWake(sessionId: string, known: Applicant | null = null): Promise<void> {
    const { placement } = this.#options;
    try {
      if (placement === undefined) await this.#wake(sessionId, known);
      else if (!(await this.#held.during(sessionId, () => this.#wake(sessionId, known))))
        await placement.request([sessionId]);
    } catch (error) {
      this.#wakeLater(sessionId, error, "wake_failed");
    }
  }

  #isBusy(id: string): boolean {
    return this.#active.has(id) || this.#preparing.has(id) || this.#again.has(id) || this.#admission.isWaiting(id);
  }

  #wakeLater(sessionId: string, error: unknown, event: string): void {
    if (this.#suspend.signal.aborted) return;
    const { waitMs, isNews } = this.#retries.plan(sessionId, error, () => this.#rewake(sessionId));
    this.#options.log[isNews ? "error" : "debug"]({ err: error, sessionId, waitMs }, event);
  }

  async #wake(sessionId: string, known: Applicant | null = null): Promise<void> {
    if (this.#handler === null) return;
    const applicant = known ?? (await this.#options.store.sessions.applicantsOf([sessionId]))[0];
    // The session does not exist, because the delivery that would have opened it failed.
    if (applicant === undefined || !this.#isServed(applicant)) return;
    if (this.#active.has(sessionId) || this.#preparing.has(sessionId)) {
      this.#again.add(sessionId);
      return;
    }
    if (this.#admission.isWaiting(sessionId)) return;
    if (!this.#admission.isFullFor(applicant)) this.#admission.enqueue(applicant);
    // There was nothing to do, but an event that arrived meanwhile has asked for another check.
    else if (!(await this.#prepare(sessionId)) && this.#again.delete(sessionId))
      return this.#wake(sessionId, applicant);
    this.#admitNext();
    this.#positions.moved();
  }

  /**
   * Queues all given sessions, possibly very many after a downtime. Resolves once they are queued. Beginning the runs
   * that have no slot continues in the background, so that the start does not wait for it.
   */
  async #wakeAll(sessionIds: readonly string[]): Promise<void> {
    if (sessionIds.length === 0) return;
    for (const applicant of await this.#options.store.sessions.applicantsOf(sessionIds)) {
      const { sessionId } = applicant;
      if (!this.#isServed(applicant)) continue;
      if (this.#active.has(sessionId) || this.#preparing.has(sessionId)) this.#again.add(sessionId);
      else if (!this.#admission.isWaiting(sessionId)) this.#admission.enqueue(applicant);
    }
    this.#admitNext();
    this.#beginning = this.#beginning.then(() => this.#beginWaiting());
  }

  #isServed({ channelKey }: Applicant): boolean {
    return this.#options.isServed?.(channelOf(channelKey, "").platform) ?? true;
  }

  async #beginWaiting(): Promise<void> {
    const { runtime } = this.#options;
    for (const sessionId of this.#admission.waiting()) {
      if (this.#handler === null) return;
      if (!this.#admission.isWaiting(sessionId) || this.#positions.has(sessionId)) continue;
      try {
        await this.#prepare(sessionId);
        this.#positions.moved();
        await runtime.clock.sleep(BEGIN_EVERY_MS, this.#suspend.signal);
      } catch (error) {
        if (this.#suspend.signal.aborted) return;
        // The run is begun when it gets a slot.
        this.#options.log.warn({ err: error, sessionId }, "waiting_run_not_begun");
      }
    }
  }

  /** Begins the run of a session that must wait, so that people see it and can stop it; false if there is none. */
  #prepare(id: string): Promise<boolean> {
    const begin = async () => {
      try {
        const next = await this.#nextWake(id, null);
        if (next === null) return false;
        const applicant = applicantOf(next.wake.session);
        this.#positions.add(id, { wake: next.wake, context: this.#context(next, new AbortController()) });
        if (!this.#active.has(id) && !this.#admission.isWaiting(id)) this.#admission.enqueue(applicant);
        return true;
      } finally {
        this.#preparing.delete(id);
      }
    };
    const preparing = begin();
    this.#preparing.set(id, preparing);
    return preparing;
  }

  #admitNext(): void {
    for (let next = this.#admission.next(); next !== undefined; next = this.#admission.next()) this.#admit(next);
  }

  #admit(sessionId: string): void {
    const active: ActiveRun = { controller: new AbortController(), runId: null, finished: Promise.resolve() };
    this.#active.set(sessionId, active);
    active.finished = this.#drive(sessionId, active).finally(() => this.#leave(sessionId));
  }

  #leave(sessionId: string): void {
    this.#active.delete(sessionId);
    this.#admission.leave(sessionId);
    if (this.#handler === null) return;
    this.#admitNext();
    this.#positions.moved();
    if (this.#again.delete(sessionId)) this.#rewake(sessionId);
    else this.#held.settle(sessionId);
  }

  /** Drives one run of the session. If more is waiting, the session goes to the end of the queue. Never rejects. */
  async #drive(sessionId: string, active: ActiveRun): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#preparing.get(sessionId);
      this.#positions.delete(sessionId);
      this.#again.delete(sessionId);
      const next = await this.#nextWake(sessionId, active);
      if (next === null) {
        // A parked run was stopped at this very moment.
        if (active.controller.signal.aborted) this.#again.add(sessionId);
        return;
      }
      await this.#run(next, active);
      this.#retries.succeeded(sessionId);
      if (next.hasMore) this.#again.add(sessionId);
    } catch (error) {
      if (this.#suspend.signal.aborted) return;
      if (error instanceof AppError && error.code === "stale_owner") {
        log.warn({ err: error, sessionId }, "session_lost");
        return;
      }
      this.#wakeLater(sessionId, error, "run_failed");
    }
  }

  #rewake(sessionId: string): void {
    this.#tryWake(sessionId).catch((error: unknown) => this.#options.log.error({ err: error, sessionId }, "wake_lost"));
  }

  async #nextWake(sessionId: string, active: ActiveRun | null): Promise<OwnedWake | null> {
    await this.#options.placement?.requireAlive();
    return nextWake(sessionId, this.#options, (runId) => {
      // From here on a stop finds the run active.
      if (active !== null) active.runId = runId;
    });
  }

  async #run(next: OwnedWake, active: ActiveRun): Promise<void> {
    const handler = this.#handler;
    if (handler === null) return;
    const { wake, stoppedBy } = next;
    const context = this.#context(next, active.controller);
    active.runId = wake.runId;
    if (stoppedBy !== null) active.controller.abort(new CancelSignal(stoppedBy));
    const end = await handler.run(wake, context);
    if (end !== "parked") return;
    await context.commit((tx) => tx.runs.setStatus(wake.runId, "parked"), REPEATABLE);
    // The event it waits for may have arrived while it was parking.
    this.#again.add(wake.sessionId);
  }

  #context({ wake, epoch }: OwnedWake, controller: AbortController): TurnContext {
    const { store, runtime, log, target } = this.#options;
    const { thread } = wake.session;
    return createTurnContext({
      store,
      clock: runtime.clock,
      log,
      target: target(thread.platform),
      sessionId: wake.sessionId,
      runId: wake.runId,
      epoch,
      thread,
      isResumed: wake.resumed,
      isNewSession: wake.isFirst,
      signal: AbortSignal.any([controller.signal, this.#suspend.signal]),
      suspended: this.#suspend.signal,
    });
  }
}
