import { z } from "zod";
import { EmbeddedEngine, type EmbeddedEngineOptions } from "../embedded-engine/embedded-engine.ts";
import type { Placement } from "../embedded-engine/placement.ts";
import { Timers } from "../embedded-engine/timers.ts";
import type { SessionEngine, SessionHandler } from "../engine/engine.ts";
import type { PostTarget } from "../engine/post-once.ts";
import { StoreError } from "../protocol/errors.ts";
import { channelOf } from "../protocol/platform.ts";
import { claimedSessions, forgetClaims } from "../store/cluster/claim-rows.ts";
import type { OpenCluster } from "../store/cluster/cluster.ts";
import { type Claims, type LoadedSdk, loadSdk, openClaims } from "./claims.ts";
import { takeTurns } from "./fair-turns.ts";

export interface DbosSessions extends Omit<EmbeddedEngineOptions, "placement"> {
  /** The database itself. */
  readonly url: string;
  readonly cluster: OpenCluster;
  /** Whether this process may hold sessions now. What it may not hold it leaves to the others. */
  readonly mayHold: () => Promise<boolean>;
  readonly loadSdk?: () => Promise<LoadedSdk>;
}

/** So many sessions that wait for a place are held beyond those that run: the others are for processes that have places. */
const WAITING_HELD = 64;

/** How often sessions are looked for that have something to do and that nobody holds or has asked for. Milliseconds. */
const SWEEP_EVERY_MS = 10_000;

/** Says to the others that something is stored that nobody has asked anybody to run. */
const SWEEP = "sweep";

/** The others are told so long after a session was left to them: its claim here is over by then. Milliseconds. */
const LEFT_MS = 50;

/** A process tells the others of so many sessions that it wakes again later. */
const RETRYING_TOLD = 100;

/** What a process tells the others: they leave to it sessions whose wakes have failed, since those wait for a better time. */
const retryingSchema = z.object({ retrying: z.array(z.string()) });
type Retrying = z.infer<typeof retryingSchema>;

/** How often it is made sure that no word of a stop was lost. Milliseconds. */
const STOPS_EVERY_MS = 1_000;

/**
 * Runs sessions in several processes that share a PostgreSQL. DBOS Transact decides which of them holds a session; what
 * is done with one that is held is the embedded engine's, and so are admission within a process, events and timers.
 */
export class DbosEngine implements SessionEngine {
  readonly #options: DbosSessions;
  readonly #here: EmbeddedEngine;
  readonly #timers: Timers;
  /** From here on sessions can be held. */
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
        // What comes before is stored, and found by the first sweep; what comes after, by the others'.
        if (this.#isStopped) return options.cluster.tell("claims", SWEEP);
        if (!this.#hasBegun) return;
        const claims = await this.#claims();
        for (const sessionId of sessionIds) await claims.request(sessionId);
        this.#look(claims);
      },
      // A word that is lost is made up for by the next look at what is stopped.
      tellStopped: ({ sessionId }) => options.cluster.tell("stops", sessionId),
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
    cluster.report(() => ({ retrying: this.#here.retrying().slice(0, RETRYING_TOLD) }) satisfies Retrying);
    cluster.hear("stops", (sessionId) => this.#stopTold(sessionId));
    cluster.hear("claims", (what) => this.#claimsTold(claims, what));
    await this.#here.start(handler);
    this.#hasBegun = true;
    this.#begun.resolve();
    await this.#sweep();
    this.#every(SWEEP_EVERY_MS, () => this.#sweep());
    this.#every(STOPS_EVERY_MS, () => this.#here.abortStopped());
    const turns = { claims, cluster, clock: this.#options.runtime.clock };
    cluster.hold("turns", (signal) => takeTurns(turns, signal));
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

  /** How many runs go on or wait in this process. */
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

  /** Asks for the session anew, and lets its claim here be over. */
  async #leave(sessionId: string): Promise<void> {
    const { cluster, log } = this.#options;
    const claims = await this.#claims();
    await claims.request(sessionId);
    log.info({ sessionId }, "session_left_to_others");
    this.#timers.after(LEFT_MS, () => {
      cluster.tell("claims", "").catch((error: unknown) => log.warn({ err: error }, "claims_not_told"));
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
        // Another one that is gone need not wait for what follows.
        this.#isTakingOver = false;
      });
      this.#look(claims);
      await this.#sweep();
    };
    takeOver().catch((error: unknown) => log.error({ err: error, replicas: ids }, "takeover_failed"));
  }

  /** Takes what waits for a process, as far as there is room here; otherwise the others are told. */
  #look(claims: Claims, tells = true): void {
    const { log, cluster } = this.#options;
    const look = async () => {
      if (!(await this.#options.mayHold()) || (!(await claims.look()) && tells)) await cluster.tell("claims", "");
    };
    // DBOS itself looks a moment later.
    look().catch((error: unknown) => log.warn({ err: error }, "claims_not_looked_at"));
  }

  #claimsTold(claims: Claims, what: string): void {
    if (what !== SWEEP) return this.#look(claims, false);
    this.#sweep().catch((error: unknown) => this.#options.log.warn({ err: error }, "sweep_failed"));
  }

  #stopTold(sessionId: string): void {
    this.#here
      .abortStopped([sessionId])
      .catch((error: unknown) => this.#options.log.warn({ err: error, sessionId }, "stop_not_read"));
  }

  #claims(): Promise<Claims> {
    return this.#claiming ?? Promise.reject(new StoreError("stale_owner", "this replica has not begun"));
  }

  /** What was stored by a process that died before it asked, and runs that another engine left. */
  async #sweep(): Promise<void> {
    const { store, runtime, cluster } = this.#options;
    const { connection } = cluster;
    const claims = await this.#claims();
    // What is claimed is read first: who gives a session back meanwhile has done what is read next.
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

  /** Those that can go on now, here or elsewhere. */
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

  /** Again and again, until the engine stops; a time that fails is made up for by the next. */
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
