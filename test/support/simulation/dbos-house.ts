import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { z } from "zod";
import type { ClusterTopic } from "../../../src/core/cluster.ts";
import { DbosEngine, type DbosSessions } from "../../../src/core/dbos-engine/dbos-engine.ts";
import type { SessionHandler } from "../../../src/core/engine/engine.ts";
import { finaliseForDeadProcesses } from "../../../src/core/people/stale-messages.ts";
import type { Clock } from "../../../src/core/protocol/runtime.ts";
import { CLAIMS, SESSION_QUEUE } from "../../../src/core/store/cluster/claim-rows.ts";
import { type OpenCluster, openCluster } from "../../../src/core/store/cluster/cluster.ts";
import { fencedPlatform } from "../../../src/ownership/fenced-platform.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { replicaOptions } from "../database/cluster.ts";
import { MemoryRates } from "../database/memory-rates.ts";
import { silentLog } from "../silent-log.ts";
import { ReplicaSdk, type SdkCopies } from "./replica-sdk.ts";
import type { SimHouse, SimSeat } from "./sim-seat.ts";
import type { SimProcess, World } from "./world.ts";

export interface DbosHouseOptions {
  readonly url: string;
  /** Observes the database from outside. */
  readonly observer: Pick<Client, "query">;
  readonly copies: SdkCopies;
}

const REPLICAS = 2;
/** How many times faster the clock for real-time work runs. */
const HURRY = 10;
/** Milliseconds until the others notice a kill, and until they notice a freeze. */
const NOTICED_MS = { killed: 1_000, frozen: 4_500 };
/**
 * The share of replicas that freeze; in milliseconds the time by which they freeze, the minimum and maximum duration,
 * and the remaining life.
 */
const FREEZES = { share: 0.25, withinMs: 12_000, leastMs: 5_000, mostMs: 15_000, lifeMs: 2_000 };
/** Polling interval for real-time work to catch up, and the limit after which it is stuck, in milliseconds. */
const LOOK_AGAIN_MS = 2;
const STUCK_MS = 30_000;
const FINALISER = "finaliser:slack";

/** Claims, and the holder of the role that finalises what dead replicas have left. */
const OUTSIDE = `SELECT queue_partition_key AS session, status, executor_id AS replica FROM ${CLAIMS}
    WHERE queue_name = '${SESSION_QUEUE}' AND status IN ('ENQUEUED', 'PENDING', 'DELAYED')
  UNION ALL SELECT '', 'ROLE', replica FROM deckhand_cluster.role WHERE name = '${FINALISER}'`;
const outsideSchema = z.array(z.object({ session: z.string(), status: z.string(), replica: z.string().nullable() }));
type Outside = z.infer<typeof outsideSchema>;

/** A replica, from joining the others until they have noticed its end. */
interface Member {
  readonly process: SimProcess;
  readonly cluster: OpenCluster;
  readonly sdk: ReplicaSdk;
  /** `leaving` means that it is dead and the others are about to notice. */
  state: "alive" | "dead" | "leaving";
  isStarted: boolean;
  /** Number of undelivered messages to it, by topic. */
  readonly words: Map<ClusterTopic, number>;
  ended: Promise<void>;
}

/**
 * Replicas on a real PostgreSQL with DBOS Transact. Session claims, liveness and messages between replicas run in real
 * time, and the world's clock stands still while any of that is in progress.
 */
export class DbosHouse implements SimHouse {
  readonly processes = REPLICAS;
  readonly #world: World;
  readonly #options: DbosHouseOptions;
  readonly #rates: MemoryRates;
  readonly #members = new Map<SimProcess, Member>();
  /** True if something may have changed since the last check. */
  #isDirty = true;
  #unquietSince: number | null = null;

  constructor(world: World, options: DbosHouseOptions) {
    this.#world = world;
    this.#options = options;
    this.#rates = new MemoryRates(world.clockOf(null));
    world.isOutsideQuiet = () => this.#isQuiet();
  }

  async join(process: SimProcess): Promise<SimSeat> {
    const { url, copies } = this.#options;
    const world = this.#world;
    const runtime = systemRuntime();
    const lost = () => {
      if (process.thawed === null) world.kill(process);
    };
    const cluster = await openCluster({ ...replicaOptions(url, { ...runtime, clock: hurried(runtime.clock) }), lost });
    const watching = { changed: () => this.#changed(), real: this.#realOf(process) };
    const sdk = new ReplicaSdk(await copies.take(), watching);
    const ended = Promise.resolve();
    const member: Member = { process, cluster, sdk, state: "alive", isStarted: false, words: new Map(), ended };
    this.#members.set(process, member);
    if (world.random.next() < FREEZES.share) this.#freezeSoon(member);
    const shared = this.#watched(member);
    const own = { loadSdk: () => Promise.resolve(sdk.loaded), mayHold: () => Promise.resolve(true) };
    return {
      openEngine: (options) => new MemberEngine({ ...options, ...own, url, cluster: shared }, member),
      size: () => cluster.size(),
      rates: this.#rates,
      fence: (platform) => fencedPlatform(platform, { cluster: shared, reach: { record: () => undefined } }),
      finaliseLeft: async (finaliser) => {
        const stale = { platform: "slack", finaliser, clock: world.clockOf(process), log: silentLog } as const;
        shared.hold(FINALISER, (signal) => finaliseForDeadProcesses({ ...stale, cluster: shared }, signal));
      },
    };
  }

  died(process: SimProcess): void {
    const member = this.#members.get(process);
    if (member?.state === "alive") this.#vanish(member, this.#world.random.next() * NOTICED_MS.killed);
  }

  /** Marks a replica as dead, which the others notice after a while. */
  #vanish(member: Member, noticedMs: number): void {
    member.state = "dead";
    member.ended = member.sdk.end();
    this.#world.clockOf(null).after(noticedMs, () => {
      member.state = "leaving";
      this.#changed();
      this.#world.own(ANYBODY, this.#forget(member));
    });
  }

  /** Freezes a replica until the others consider it dead; then it continues its work for a moment. */
  #freezeSoon(member: Member): void {
    const world = this.#world;
    const outside = world.clockOf(null);
    const { process } = member;
    outside.after(world.random.next() * FREEZES.withinMs, () => {
      if (member.state !== "alive" || !member.isStarted) return;
      world.freeze(process);
      this.#vanish(member, NOTICED_MS.frozen);
      outside.after(FREEZES.leastMs + world.random.next() * (FREEZES.mostMs - FREEZES.leastMs), () => {
        world.thaw(process);
        outside.after(world.random.next() * FREEZES.lifeMs, () => world.kill(process));
      });
    });
  }

  async close(): Promise<void> {
    for (const { process } of this.#members.values()) this.#world.kill(process);
    for (const member of this.#members.values()) await this.#forget(member);
  }

  /** Closes the connection and with it the lock by which the others know that the replica is alive. */
  async #forget(member: Member): Promise<void> {
    await member.ended;
    await member.cluster.close();
    if (this.#members.delete(member.process)) this.#options.copies.giveBack(member.sdk.copy);
    this.#changed();
  }

  #changed(): void {
    this.#isDirty = true;
  }

  #realOf(process: SimProcess) {
    return <T>(work: () => Promise<T>): Promise<T> => this.#world.real(process, work);
  }

  /** The cluster as the replica sees it: a dead one receives nothing, and the world waits for pending work. */
  #watched(member: Member): OpenCluster {
    const { process, cluster, words } = member;
    const real = this.#realOf(process);
    return {
      ...cluster,
      connection: {
        ...cluster.connection,
        query: (...question) => real(() => cluster.connection.query(...question)),
      },
      requireAlive: () => real(() => cluster.requireAlive()),
      setUp: (work) => real(() => cluster.setUp(work)),
      others: () => Promise.resolve(this.#othersThan(process)),
      // The channels' fair order is tested elsewhere, since there are never enough sessions here.
      hold: (role, work) => (role === FINALISER ? cluster.hold(role, work) : () => Promise.resolve()),
      begin: (orphaned) =>
        cluster.begin((ids) => {
          if (process.isAlive) orphaned(ids);
        }),
      publish: (topic, about) =>
        real(async () => {
          if (member.state !== "alive") return;
          for (const other of this.#members.values())
            if (other.process !== process) other.words.set(topic, (other.words.get(topic) ?? Number.NaN) + 1);
          await cluster.publish(topic, about);
        }),
      subscribe: (topic, listener) => {
        words.set(topic, 0);
        return cluster.subscribe(topic, (about) => {
          words.set(topic, (words.get(topic) ?? 0) - 1);
          if (process.isAlive) listener(about);
        });
      },
    };
  }

  #othersThan(process: SimProcess) {
    const others = [...this.#members.values()].filter((each) => each.process !== process && each.state !== "leaving");
    return others.map(({ cluster: { id } }) => ({ id, state: {} }));
  }

  /** Whether living replicas have claimed everything that can be claimed. */
  async #isQuiet(): Promise<boolean> {
    if (!this.#isDirty && !this.#areWordsUnderWay()) return true;
    this.#isDirty = false;
    const { rows } = await this.#options.observer.query(OUTSIDE);
    const outside = outsideSchema.parse(rows);
    if (this.#isAtRest(outside) && !this.#areWordsUnderWay()) {
      this.#unquietSince = null;
      return !this.#isDirty;
    }
    this.#isDirty = true;
    this.#unquietSince ??= performance.now();
    if (performance.now() - this.#unquietSince > STUCK_MS) throw new Error(this.#stuckWith(outside));
    await pause(LOOK_AGAIN_MS);
    return false;
  }

  #stuckWith(outside: Outside): string {
    const members = [...this.#members.values()].map(({ cluster, state, sdk, words, isStarted }) => {
      return { id: cluster.id, state, isStarted, isAble: sdk.isAble, held: [...sdk.held], words: [...words] };
    });
    return `real time never comes to rest: ${JSON.stringify({ outside, members })}`;
  }

  #areWordsUnderWay(): boolean {
    return [...this.#members.values()].some(
      ({ state, words }) => state === "alive" && [...words.values()].some((count) => count > 0),
    );
  }

  #isAtRest(outside: Outside): boolean {
    const members = [...this.#members.values()];
    if (members.some(({ state }) => state === "leaving")) return false;
    // There is no replica that could claim anything.
    if (!members.some(({ state, sdk }) => state === "alive" && sdk.isAble)) return true;
    const byId = new Map(members.map((member) => [member.cluster.id, member]));
    const role = outside.find(({ status }) => status === "ROLE");
    if (role === undefined || !byId.has(role.replica ?? "")) return false;
    const held = new Set<string>();
    for (const { status, session, replica } of outside) {
      const holder = status === "PENDING" ? byId.get(replica ?? "") : undefined;
      // What a dead replica holds remains claimed until the death is noticed.
      if (holder?.state === "dead" || holder?.sdk.held.has(session) === true) held.add(session);
    }
    return outside.every(({ status, session }) => status === "ROLE" || held.has(session));
  }
}

class MemberEngine extends DbosEngine {
  readonly #member: Pick<Member, "isStarted">;

  constructor(options: DbosSessions, member: Pick<Member, "isStarted">) {
    super(options);
    this.#member = member;
  }

  override async start(handler: SessionHandler): Promise<void> {
    await super.start(handler);
    this.#member.isStarted = true;
  }
}

/** Owner of failures that belong to no particular process. */
const ANYBODY: SimProcess = { isAlive: true, stepsLeft: null, thawed: null };

function hurried(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    after: (ms, fire) => clock.after(ms / HURRY, fire),
    sleep: (ms, signal) => clock.sleep(ms / HURRY, signal),
  };
}
