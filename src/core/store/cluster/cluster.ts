import type { Cluster } from "../../cluster.ts";
import type { GrowthLedger } from "../../growth-ledger.ts";
import { type AppError, StoreError } from "../../protocol/errors.ts";
import type { Log } from "../../protocol/log.ts";
import type { Clock } from "../../protocol/runtime.ts";
import type { HoldersOf } from "../../providers/concurrency/key-holders.ts";
import type { SharedRates } from "../../shared-rates.ts";
import { type ClusterConnection, openClusterConnection, setUpCluster } from "./cluster-connection.ts";
import { GrowthRows } from "./growth-rows.ts";
import { Locks } from "./locks.ts";
import { drainMember, othersThan, readMembers } from "./members.ts";
import { type DatabaseTime, type Heartbeat, Membership } from "./membership.ts";
import { openNotifications } from "./notifications.ts";
import { RateRows } from "./rate-rows.ts";
import { Roles } from "./roles.ts";
import { gatewaySessions } from "./shard-sessions.ts";
import { sharedKeys } from "./shared-keys.ts";

export interface ReplicaStart {
  /** URL of the database itself, because locks and notifications do not work through a pooler. */
  readonly url: string;
  /** This process's id in the cluster. */
  readonly id: string;
  readonly clock: Clock;
  readonly log: Log;
  /** What the other processes may read about this one for as long as it lives. JSON. */
  readonly facts: object;
  /** Called when this process has to wait because another one runs all sessions of the database alone. */
  readonly standBy: () => void;
  /** Called when the others have declared this process dead, or when it cannot tell. It must do nothing more. */
  readonly lost: (error: AppError) => void;
  /** Called when somebody asks this process to hand over its work and end. May be called again. */
  readonly drain: () => void;
  readonly signal: AbortSignal;
}

/** The cluster as the engine uses it. */
export interface OpenCluster extends Cluster {
  readonly connection: ClusterConnection;
  /** The clock that all processes share: this process's own, corrected by its offset from the database's. */
  readonly clock: Clock;
  /** Throws StoreError `stale_owner` once the others have declared this process dead. */
  requireAlive(): Promise<void>;
  /** Runs work that all processes need, in one process at a time. */
  setUp<T>(work: () => Promise<T>): Promise<T>;
  /** The platforms' rate limits, kept by all processes together. */
  readonly rates: SharedRates;
  /** How much load each provider key takes, learned by all processes together. */
  readonly holdersOf: HoldersOf;
  /** The bytes added today, counted by all processes together. */
  readonly growth: GrowthLedger;
  /** Starts the heartbeat. `orphaned` receives ids of dead processes, repeatedly until none has sessions left. */
  begin(orphaned: (ids: readonly string[]) => void): void;
  /** Gives up all roles and the membership, so that the other processes take over what this one holds. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** Clocks may differ by this much before the offset to the database's is applied. Milliseconds. */
const CLOCK_TOLERANCE_MS = 250;

/** An offset greater than this is logged as a warning. Milliseconds. */
const CLOCK_OFF_MS = 2_000;

const EXPELLED = { detail: { lost: "place" } };

/** Joins the processes that share a database. Throws ConfigError if the database cannot serve them. */
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
  const onHeartbeat = (beat: Heartbeat): void => {
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
    onHeartbeat,
    onLost: () => lost(new StoreError("stale_owner", "the other replicas have taken this one for dead", EXPELLED)),
  });
  time.take(membership.time);
  const notifications = { ...(await openNotifications({ connection: over, id, log })), size: () => size };
  const locks = await Locks.open({ connection: over, id, clock, log, notifications, membership });
  return {
    id,
    isShared: true,
    connection: over,
    clock: time.clock,
    members: () => readMembers(over),
    drain: (replica: string) => drainMember(over, replica),
    ...notifications,
    hold: roles.hold,
    lock: locks.take,
    rates: new RateRows({ connection: over, clock, log }),
    growth: new GrowthRows({ connection: over, clock: time.clock, log }),
    holdersOf: sharedKeys({ ...notifications, log }),
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

/** The process's clock, corrected by the database's. */
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
