import { z } from "zod";
import { EmbeddedEngine, type EmbeddedEngineOptions } from "../embedded-engine/embedded-engine.ts";
import type { Placement } from "../embedded-engine/placement.ts";
import { Timers } from "../embedded-engine/timers.ts";
import type { SessionEngine, SessionHandler } from "../engine/engine.ts";
import type { PostTarget } from "../engine/post-once.ts";
import { channelOf } from "../platform/thread.ts";
import { StoreError } from "../protocol/errors.ts";
import { claimedSessions, forgetClaims } from "../store/cluster/claim-rows.ts";
import type { OpenCluster } from "../store/cluster/cluster.ts";
import { keepChannelsFair } from "./channel-fairness.ts";
import { type Claims, type LoadedSdk, loadSdk, openClaims } from "./claims.ts";

export interface DbosSessions extends Omit<EmbeddedEngineOptions, "placement"> {
  /** Connection URL of the database. */
  readonly url: string;
  readonly cluster: OpenCluster;
  /** Whether this process may hold sessions now. If not, it leaves them to the others. */
  readonly mayHold: () => Promise<boolean>;
  readonly loadSdk?: () => Promise<LoadedSdk>;
}

/**
 * Number of waiting sessions that a process holds in addition to running ones. The rest is left to processes with free
 * slots.
 */
const WAITING_HELD = 64;

/** Interval between searches for sessions that have work but that nobody holds or has requested, in milliseconds. */
const SWEEP_EVERY_MS = 10_000;

/** Message to the other processes that a session has work that nobody has requested. */
const SWEEP = "sweep";

/**
 * Delay before the other processes are notified of a session left to them, in milliseconds. Its claim here has ended by
 * then.
 */
const LEFT_MS = 50;

/** Maximum number of sessions awaiting a retry that a process reports. */
const MAX_REPORTED_RETRIES = 100;

/** The state that processes share. They do not request sessions that another process is about to retry. */
const retryingSchema = z.object({ retrying: z.array(z.string()) });
type Retrying = z.infer<typeof retryingSchema>;

/** Interval between checks for stopped runs, in milliseconds, in case a notification was lost. */
const STOPS_EVERY_MS = 1_000;

/**
 * Runs sessions in several processes that share a PostgreSQL database. DBOS Transact decides which process holds a
 * session. The embedded engine runs the held ones, and also provides admission within a process, events and timers.
 */
export class DbosEngine implements SessionEngine {
  readonly #options: DbosSessions;
  readonly #here: EmbeddedEngine;
  readonly #timers: Timers;
  /** Resolved once sessions can be held. */
  readonly #begun = Promise.withResolvers<void>();
  #hasBegun = false;
  #claiming: Promise<Claims> | null = null;
  #isTakingOver = false;
  #isStopped = false;

  constructor(options: DbosSessions) {
    this.#options = options;
    this.#timers = new Timers(options.runtime.clock);
    const placement: Placement = {
      request: async (sessionIds) => {
        // Earlier requests are in the store, where the first sweep finds them. Later ones are found by the sweeps of
        // other processes.
        if (this.#isStopped) return options.cluster.publish("claims", SWEEP);
        if (!this.#hasBegun) return;
        const claims = await this.#claims();
        for (const sessionId of sessionIds) await claims.request(sessionId);
        this.#look(claims);
      },
      // If the notification is lost, the next check for stopped runs finds the run.
      publishStop: ({ sessionId }) => options.cluster.publish("stops", sessionId),
      requireAlive: () => options.cluster.requireAlive(),
    };
    const target = (name: Parameters<EmbeddedEngineOptions["target"]>[0]): PostTarget => {
      const { find, post } = options.target(name);
      return {
        find,
        post: async (...message) => {
          await placement.requireAlive();
          return post(...message);
        },
      };
    };
    this.#here = new EmbeddedEngine({ ...options, target, placement });
  }

  async start(handler: SessionHandler): Promise<void> {
    const { cluster } = this.#options;
    this.#claiming = this.#open();
    const claims = await this.#claiming;
    cluster.begin((ids) => this.#takeOver(ids));
    cluster.report(() => ({ retrying: this.#here.retrying().slice(0, MAX_REPORTED_RETRIES) }) satisfies Retrying);
    cluster.subscribe("stops", (sessionId) => this.#onStop(sessionId));
    cluster.subscribe("claims", (what) => this.#onClaimsNotice(claims, what));
    await this.#here.start(handler);
    this.#hasBegun = true;
    this.#begun.resolve();
    await this.#sweep();
    this.#every(SWEEP_EVERY_MS, () => this.#sweep());
    this.#every(STOPS_EVERY_MS, () => this.#here.abortStopped());
    const turns = { claims, cluster, clock: this.#options.runtime.clock };
    cluster.hold("turns", (signal) => keepChannelsFair(turns, signal));
  }

  async stop(drainMs: number): Promise<void> {
    this.#isStopped = true;
    this.#timers.cancelAll();
    await this.#here.stop(drainMs);
    const claims = await this.#claiming?.catch(() => null);
    await claims?.close();
    await this.#options.cluster.leave();
  }

  deliver: SessionEngine["deliver"] = (...event) => this.#here.deliver(...event);
  deliverAt: SessionEngine["deliverAt"] = (...event) => this.#here.deliverAt(...event);
  cancel: SessionEngine["cancel"] = (...run) => this.#here.cancel(...run);

  /** Number of runs that this process is running or has waiting. */
  load(): { running: number; waiting: number } {
    return this.#here.load();
  }

  async #open(): Promise<Claims> {
    const { url, log, runtime, maxConcurrentRuns, cluster } = this.#options;
    const sdk = await (this.#options.loadSdk ?? loadSdk)();
    const hold = async (sessionId: string) => {
      await this.#begun.promise;
      return (await this.#options.mayHold()) ? this.#here.hold(sessionId) : this.#leave(sessionId);
    };
    const mostHeld = maxConcurrentRuns + WAITING_HELD;
    const free = () => {
      const { running, waiting } = this.#here.load();
      return maxConcurrentRuns - running - waiting;
    };
    const claiming = { url, replicaId: cluster.id, mostHeld, free, ids: runtime.ids, log, sdk, hold };
    return cluster.setUp(() => openClaims(claiming));
  }

  /** Requests the session anew and lets its claim here end. */
  async #leave(sessionId: string): Promise<void> {
    const { cluster, log } = this.#options;
    const claims = await this.#claims();
    await claims.request(sessionId);
    log.info({ sessionId }, "session_left_to_others");
    this.#timers.after(LEFT_MS, () => {
      cluster.publish("claims", "").catch((error: unknown) => log.warn({ err: error }, "claims_not_told"));
    });
  }

  #takeOver(ids: readonly string[]): void {
    if (this.#isTakingOver) return;
    this.#isTakingOver = true;
    const { log } = this.#options;
    log.warn({ replicas: ids }, "replicas_gone");
    const takeOver = async () => {
      const claims = await this.#claims();
      await claims.recover(ids).finally(() => {
        // From here on the takeover of another dead process can begin.
        this.#isTakingOver = false;
      });
      this.#look(claims);
      await this.#sweep();
    };
    takeOver().catch((error: unknown) => log.error({ err: error, replicas: ids }, "takeover_failed"));
  }

  /** Takes waiting sessions while there is room. If there is none, notifies the other processes. */
  #look(claims: Claims, notifies = true): void {
    const { log, cluster } = this.#options;
    const look = async () => {
      if (!(await this.#options.mayHold()) || (!(await claims.look()) && notifies)) await cluster.publish("claims", "");
    };
    // If this fails, DBOS's own polling follows shortly.
    look().catch((error: unknown) => log.warn({ err: error }, "claims_not_looked_at"));
  }

  #onClaimsNotice(claims: Claims, what: string): void {
    if (what !== SWEEP) return this.#look(claims, false);
    this.#sweep().catch((error: unknown) => this.#options.log.warn({ err: error }, "sweep_failed"));
  }

  #onStop(sessionId: string): void {
    this.#here
      .abortStopped([sessionId])
      .catch((error: unknown) => this.#options.log.warn({ err: error, sessionId }, "stop_not_read"));
  }

  #claims(): Promise<Claims> {
    return this.#claiming ?? Promise.reject(new StoreError("stale_owner", "this replica has not begun"));
  }

  /**
   * Requests sessions with work that nobody has claimed: their process died before requesting them, or another engine
   * left them.
   */
  async #sweep(): Promise<void> {
    const { store, runtime, cluster } = this.#options;
    const { connection } = cluster;
    const claims = await this.#claims();
    // Claims are read first, so a session released between the reads has already done the work that the second read
    // would find.
    const claimed = await claimedSessions(connection);
    const [cut, waiting] = await Promise.all([
      store.runs.interrupted(),
      store.inbox.sessionsToWake(runtime.clock.now()),
    ]);
    const left = new Set([...cut.map(({ sessionId }) => sessionId), ...waiting]);
    for (const sessionId of await this.#ready([...left].filter((id) => !claimed.has(id))))
      await claims.request(sessionId);
    await forgetClaims(connection);
  }

  /** The sessions that can run now, here or in another process. */
  async #ready(sessionIds: readonly string[]): Promise<string[]> {
    if (sessionIds.length === 0) return [];
    const { store, cluster, isServed = () => true } = this.#options;
    const others = await cluster.others();
    const retrying = others.flatMap(({ state }) => retryingSchema.safeParse(state).data?.retrying ?? []);
    const later = new Set([...this.#here.retrying(), ...retrying]);
    const applicants = await store.sessions.applicantsOf(sessionIds.filter((id) => !later.has(id)));
    const served = applicants.filter(({ channelKey }) => isServed(channelOf(channelKey, "").platform));
    return served.map(({ sessionId }) => sessionId);
  }

  /** Repeats work until the engine stops. A failure is logged, and the next time makes up for it. */
  #every(ms: number, work: () => Promise<void>): void {
    const once = () => {
      work()
        .catch((error: unknown) => this.#options.log.warn({ err: error }, "cluster_work_failed"))
        .finally(() => {
          if (!this.#isStopped) this.#timers.after(ms, once);
        });
    };
    this.#timers.after(ms, once);
  }
}
