import type { Cluster } from "../../cluster.ts";
import type { GrowthLedger } from "../../growth-ledger.ts";
import { type AppError, StoreError } from "../../protocol/errors.ts";
import type { Log } from "../../protocol/log.ts";
import type { Clock } from "../../protocol/runtime.ts";
import type { HoldersOf } from "../../providers/concurrency/key-holders.ts";
import type { SharedRates } from "../../shared-rates.ts";
import { type ClusterConnection, openClusterConnection, setUpCluster } from "./cluster-connection.ts";
import { openWords } from "./cluster-words.ts";
import { GrowthRows } from "./growth-rows.ts";
import { Locks } from "./locks.ts";
import { drainMember, othersThan, readMembers } from "./members.ts";
import { type Beat, type DatabaseTime, Membership } from "./membership.ts";
import { RateRows } from "./rate-rows.ts";
import { Roles } from "./roles.ts";
import { gatewaySessions } from "./shard-sessions.ts";
import { sharedKeys } from "./shared-keys.ts";

export interface ReplicaStart {
  /** Leads to the database itself: locks and notifications do not pass a pooler. */
  readonly url: string;
  /** This process among the others. */
  readonly id: string;
  readonly clock: Clock;
  readonly log: Log;
  /** What the others may know of this process as long as it lives. JSON. */
  readonly facts: object;
  /** Another process runs all sessions of the database alone: from here on it is waited for. */
  readonly standBy: () => void;
  /** The others have taken this process for dead, or it cannot know: it may do nothing more. */
  readonly lost: (error: AppError) => void;
  /** Somebody asks this process to hand all over and end. May be called again. */
  readonly drain: () => void;
  readonly signal: AbortSignal;
}

/** What the engine does with the cluster. */
export interface OpenCluster extends Cluster {
  readonly connection: ClusterConnection;
  /** The clock that all processes share: the database's, as far as this process's own is off. */
  readonly clock: Clock;
  /** Throws StoreError `stale_owner` once the others have taken this process for dead. */
  requireAlive(): Promise<void>;
  /** Makes what all processes need and one may make at a time. */
  setUp<T>(work: () => Promise<T>): Promise<T>;
  /** The platforms' rates, which all processes keep together. */
  readonly rates: SharedRates;
  /** How much each provider's key takes, which all processes learn together. */
  readonly holdersOf: HoldersOf;
  /** What has been added today, which all processes count together. */
  readonly growth: GrowthLedger;
  /** From now on this process says that it lives. `orphaned`: who is no more and has left sessions; called again until nothing is left. */
  begin(orphaned: (ids: readonly string[]) => void): void;
  /** What this process holds is the others' from now on. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** Clocks may be this far apart before the database's is taken. Milliseconds. */
const CLOCK_TOLERANCE_MS = 250;

/** An operator hears of a clock that is off by more. Milliseconds. */
const CLOCK_OFF_MS = 2_000;

const LOST_PLACE = { detail: { lost: "place" } };

/** Joins the processes that share a database. Throws ConfigError where the database cannot carry them. */
export async function openCluster(options: ReplicaStart): Promise<OpenCluster> {
  const { url, clock, standBy, signal } = options;
  const connection = await openClusterConnection(url);
  try {
    await connection.share(clock, signal, standBy);
    return await setUpCluster(connection, { clock }, () => join(options, connection));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function join(
  { id, clock, log, facts, lost, drain }: ReplicaStart,
  over: ClusterConnection,
): Promise<OpenCluster> {
  const time = sharedTime(clock, log);
  const roles = new Roles({ connection: over, id, clock, log });
  let size = 1;
  const reports: (() => object)[] = [];
  let orphaned: (ids: readonly string[]) => void = () => undefined;
  const beaten = (beat: Beat): void => {
    size = beat.size;
    time.take(beat.time);
    if (beat.draining) drain();
    if (beat.orphaned.length > 0) orphaned(beat.orphaned);
    roles.keepOnly(beat.roles);
    roles.take().catch((error: unknown) => log.warn({ err: error }, "roles_not_taken"));
  };
  const membership = await Membership.join({
    connection: over,
    id,
    clock,
    facts,
    state: () => Object.assign({}, ...reports.map((report) => report())),
    beaten,
    lost: () => lost(new StoreError("stale_owner", "the other replicas have taken this one for dead", LOST_PLACE)),
  });
  time.take(membership.time);
  const words = { ...(await openWords({ connection: over, id, log })), size: () => size };
  const locks = await Locks.open({ connection: over, id, clock, log, words, membership });
  return {
    id,
    isShared: true,
    connection: over,
    clock: time.clock,
    members: () => readMembers(over),
    drain: (replica: string) => drainMember(over, replica),
    ...words,
    hold: roles.hold,
    lock: locks.take,
    rates: new RateRows({ connection: over, clock, log }),
    growth: new GrowthRows({ connection: over, clock: time.clock, log }),
    holdersOf: sharedKeys({ ...words, log }),
    requireAlive: () => membership.requireAlive(),
    setUp: (work) => setUpCluster(over, { clock }, work),
    begin(whose) {
      orphaned = whose;
      membership.begin();
    },
    gatewaySessions: gatewaySessions(id, over),
    others: () => othersThan(id, over),
    report(state) {
      reports.push(state);
    },
    async leave() {
      await roles.close();
      await membership.leave();
    },
    close: () => over.close(),
  };
}

/** The process's clock, put right by the database's. */
function sharedTime(clock: Clock, log: Log) {
  let offsetMs = 0;
  return {
    clock: { ...clock, now: () => clock.now() + offsetMs },
    take({ aheadMs, uncertainMs }: DatabaseTime): void {
      if (Math.abs(aheadMs - offsetMs) < CLOCK_TOLERANCE_MS + uncertainMs) return;
      offsetMs = Math.round(aheadMs);
      if (Math.abs(offsetMs) > CLOCK_OFF_MS) log.warn({ aheadMs: offsetMs }, "clock_off");
    },
  };
}
