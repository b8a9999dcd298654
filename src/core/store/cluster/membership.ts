import { z } from "zod";
import { StoreError } from "../../protocol/errors.ts";
import { type Clock, sleepUnlessAborted } from "../../protocol/runtime.ts";
import { answerWithin } from "../database/answer-within.ts";
import { CLAIMS, SESSION_QUEUE } from "./claim-rows.ts";
import type { ClusterConnection } from "./cluster-connection.ts";

/** Interval of the heartbeat, which also looks for dead processes. Milliseconds. */
const HEARTBEAT_EVERY_MS = 250;

/** A process silent for this long is frozen and counts as dead, even if its connection stands. Milliseconds. */
const SILENT_MS = 4_000;

/** For this long after its last heartbeat a process knows that it still counts as alive. Milliseconds. */
const VALID_MS = 2_500;

/**
 * A start may keep a process too busy to beat. Until its first heartbeat it renews its row every `everyMs`, and counts
 * as alive for `aliveMs` after each renewal. Milliseconds.
 */
const STARTING = { aliveMs: 20_000, everyMs: 1_000 };

/** A heartbeat that is not answered within this time, whatever it waits behind, has failed. Milliseconds. */
const ANSWER_MS = 10_000;

/**
 * A process whose own heartbeat was interrupted for `afterMs` cannot tell which others are silent, because the database
 * or the network may have paused for all. It gives the others `graceMs` to be heard first. Milliseconds.
 */
const PAUSED = { afterMs: SILENT_MS / 2, graceMs: 1_000 };

/** First half of the key of the advisory lock that each live process holds; the second half hashes its id. */
const LIVENESS_LOCK = 4_242;

/** The database's time, in milliseconds since the epoch. */
const DATABASE_TIME = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

/** Whether the process of the row `other` has been silent for too long. */
const IS_SILENT = `other.beat < clock_timestamp() - ${SILENT_MS} * interval '1 ms'`;

/** Whether the connection of that process is gone. */
const IS_GONE = `NOT EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND classid = ${LIVENESS_LOCK}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND objid::bigint = (hashtext(other.id)::bigint & 4294967295)
  )`;

/** Whether the process of the row `other` counts as dead. */
export const IS_DEAD = `(${IS_SILENT} OR ${IS_GONE})`;

/** Whether this process's previous heartbeat is recent. A heartbeat delayed on its way declares nobody silent. */
const CAN_JUDGE_SILENCE = `($3::boolean AND EXISTS (
    SELECT FROM deckhand_cluster.replica WHERE id = $1 AND beat > clock_timestamp() - ${PAUSED.afterMs} * interval '1 ms'
  ))`;

/**
 * One statement per heartbeat: renews this process's row, deletes the rows of dead processes, and finds the claims they
 * left. Times are the database's. `$3`: whether this process can tell who is silent.
 */
const HEARTBEAT = `WITH own AS (
    UPDATE deckhand_cluster.replica SET beat = clock_timestamp(), state = $2::jsonb WHERE id = $1 RETURNING id, draining
  ), dead AS (
    DELETE FROM deckhand_cluster.replica AS other
    WHERE other.id <> $1 AND EXISTS (SELECT FROM own) AND (${CAN_JUDGE_SILENCE} AND ${IS_SILENT} OR ${IS_GONE}) RETURNING id
  )
  SELECT EXISTS (SELECT FROM own) AS alive,
    EXISTS (SELECT FROM own WHERE draining) AS draining,
    ${DATABASE_TIME} AS now,
    (SELECT count(*) FROM deckhand_cluster.replica WHERE id NOT IN (SELECT id FROM dead))::int AS size,
    ARRAY(SELECT name FROM deckhand_cluster.role WHERE replica = $1) AS roles,
    ARRAY(
      SELECT DISTINCT executor_id FROM ${CLAIMS}
      WHERE status = 'PENDING' AND queue_name = '${SESSION_QUEUE}' AND EXISTS (SELECT FROM own) AND (
        executor_id IN (SELECT id FROM dead)
        OR executor_id NOT IN (SELECT id FROM deckhand_cluster.replica)
      )
    ) AS orphaned`;

const heartbeatSchema = z.object({
  alive: z.boolean(),
  draining: z.boolean(),
  now: z.number(),
  size: z.number(),
  roles: z.array(z.string()),
  orphaned: z.array(z.string()),
});

/** What a heartbeat returns. */
export interface Heartbeat extends Omit<z.infer<typeof heartbeatSchema>, "alive" | "now"> {
  readonly time: DatabaseTime;
}

/** How far the database's clock is ahead of this process's, and the uncertainty either way. Milliseconds. */
export interface DatabaseTime {
  readonly aheadMs: number;
  readonly uncertainMs: number;
}

const joinedSchema = z.object({ now: z.number() });

const STARTS_UNTIL = `clock_timestamp() + ${STARTING.aliveMs} * interval '1 ms'`;

const JOIN = `INSERT INTO deckhand_cluster.replica (id, beat, facts)
  VALUES ($1, ${STARTS_UNTIL}, $2::jsonb) RETURNING ${DATABASE_TIME} AS now`;

const RENEW_START = `UPDATE deckhand_cluster.replica SET beat = ${STARTS_UNTIL} WHERE id = $1 RETURNING id`;

export interface JoinScope {
  readonly connection: ClusterConnection;
  readonly id: string;
  readonly clock: Clock;
  /** What the other processes may read about this one for as long as it lives. JSON. */
  readonly facts: object;
  /** What the process is doing at the moment. JSON. */
  readonly state: () => object;
  /** Called after each answered heartbeat. */
  readonly onHeartbeat: (beat: Heartbeat) => void;
  /** Called once, when the others have declared this process dead or when it cannot tell. */
  readonly onLost: () => void;
}

/** This process's membership: it lives while its heartbeat goes on, and the others take over when that stops. */
export class Membership {
  readonly #options: JoinScope;
  readonly #left = new AbortController();
  /** The database's time, measured when the process joined. */
  readonly time: DatabaseTime;
  /** When the newest answered heartbeat was sent. Milliseconds since the epoch. */
  #renewedAt: number;
  /** From this time on, the process can tell which others are silent. Milliseconds since the epoch. */
  #judgesFrom = 0;
  #isLost = false;
  readonly #begun = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  private constructor(options: JoinScope, renewedAt: number, time: DatabaseTime) {
    this.#options = options;
    this.#renewedAt = renewedAt;
    this.time = time;
  }

  /** Joins the cluster; from now on this process owns what it claims. */
  static async join(options: JoinScope): Promise<Membership> {
    const { connection, id, clock, facts } = options;
    // The lock comes first: a row without its lock belongs to a dead process.
    await connection.query(`SELECT pg_advisory_lock(${LIVENESS_LOCK}, hashtext($1))`, [id]);
    const renewedAt = clock.now();
    const [row] = await connection.query(JOIN, [id, JSON.stringify(facts)]);
    const membership = new Membership(options, renewedAt, timeOf(joinedSchema.parse(row).now, renewedAt, clock.now()));
    connection.broken.then(() => membership.#markLost()).catch(() => undefined);
    membership.#loop = membership.#startLoop().catch(() => membership.#markLost());
    return membership;
  }

  /** Starts the heartbeat, which also looks for dead processes. */
  begin(): void {
    this.#begun.abort();
    this.#loop = this.#heartbeatLoop();
  }

  /** Throws StoreError `stale_owner` once the others have declared this process dead, even if it has just thawed. */
  async requireAlive(): Promise<void> {
    if (!this.#isLost && this.validForMs() === 0) await this.#sendHeartbeat().catch(() => this.#markLost());
    if (this.#isLost || this.#left.signal.aborted)
      throw new StoreError("stale_owner", "the other replicas have taken this one for dead");
  }

  /** Leaves the cluster, so that the others take over what this process holds. The connection stays open. */
  async leave(): Promise<void> {
    if (this.#left.signal.aborted) return;
    this.#left.abort();
    await this.#loop;
    const { connection, id } = this.#options;
    await connection.query("DELETE FROM deckhand_cluster.replica WHERE id = $1", [id]).catch(() => undefined); // if broken, the others notice
  }

  /** Milliseconds for which the others surely count this process as alive, whatever happens to it; 0 if unknown. */
  validForMs(): number {
    const ago = this.#options.clock.now() - this.#renewedAt;
    return this.#isLost || this.#left.signal.aborted || ago < 0 ? 0 : Math.max(0, VALID_MS - ago);
  }

  /** Renews the row during the start. Cannot look for dead processes' claims, as DBOS's tables may not exist yet. */
  async #startLoop(): Promise<void> {
    const { connection, id, clock } = this.#options;
    const over = AbortSignal.any([this.#begun.signal, this.#left.signal]);
    while ((await sleepUnlessAborted(clock, STARTING.everyMs, over)) && !this.#isLost) {
      const at = clock.now();
      if ((await connection.query(RENEW_START, [id])).length === 0) return this.#markLost();
      this.#renewedAt = at;
    }
  }

  async #heartbeatLoop(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#left.signal.aborted && !this.#isLost) {
      await this.#sendHeartbeat().catch(() => this.#markLost());
      await sleepUnlessAborted(clock, HEARTBEAT_EVERY_MS, this.#left.signal);
    }
  }

  async #sendHeartbeat(): Promise<void> {
    const { connection, id, clock, state, onHeartbeat } = this.#options;
    const at = clock.now();
    if (Math.abs(at - this.#renewedAt) > PAUSED.afterMs) this.#judgesFrom = at + PAUSED.graceMs;
    const asked = connection.query(HEARTBEAT, [id, JSON.stringify(state()), at >= this.#judgesFrom]);
    const [row] = await answerWithin(ANSWER_MS, asked, clock);
    const { alive, now, ...beat } = heartbeatSchema.parse(row);
    if (!alive) return this.#markLost();
    this.#renewedAt = at;
    if (!this.#left.signal.aborted) onHeartbeat({ ...beat, time: timeOf(now, at, clock.now()) });
  }

  #markLost(): void {
    if (this.#isLost || this.#left.signal.aborted) return;
    this.#isLost = true;
    this.#options.onLost();
  }
}

/** Assumes that the database read its clock between the request and the answer. */
function timeOf(database: number, asked: number, answered: number): DatabaseTime {
  return { aheadMs: database - (asked + answered) / 2, uncertainMs: Math.abs(answered - asked) / 2 };
}
