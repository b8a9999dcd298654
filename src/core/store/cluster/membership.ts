import { z } from "zod";
import { StoreError } from "../../protocol/errors.ts";
import { type Clock, slept } from "../../protocol/runtime.ts";
import { CLAIMS, SESSION_QUEUE } from "./claim-rows.ts";
import type { ClusterConnection } from "./cluster-connection.ts";

/** How often a process says that it lives, and looks for those that do not. Milliseconds. */
const BEAT_EVERY_MS = 250;

/** After so long without a word a process is taken for dead, though its connection stands: it is frozen. Milliseconds. */
const SILENT_MS = 4_000;

/** For so long after its last word a process need not ask whether it still counts. Milliseconds. */
const CERTAIN_MS = 2_500;

/**
 * A start does much at once and cannot say anything meanwhile: until its first word it counts as alive for so long after it
 * has said that it goes on, which it does so often. Milliseconds.
 */
const STARTING = { aliveMs: 20_000, everyMs: 1_000 };

/** A word that is not answered for so long, whatever it waits behind, is not heard. Milliseconds. */
const ANSWER_MS = 10_000;

/**
 * Whoever has not been heard itself for so long cannot tell who is silent: the database or the network may have paused for
 * all. It gives the others time for a word. Milliseconds.
 */
const PAUSED = { afterMs: SILENT_MS / 2, graceMs: 1_000 };

/** The first half of the advisory lock that each process holds for as long as it lives; the second half is its id's hash. */
const LIFE_LOCK = 4_242;

/** The database's time, in milliseconds since the epoch. */
const DATABASE_TIME = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

/** Whether the process of the row `other` has not said for long that it lives. */
const IS_SILENT = `other.beat < clock_timestamp() - ${SILENT_MS} * interval '1 ms'`;

/** Whether its connection is gone. */
const IS_GONE = `NOT EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND classid = ${LIFE_LOCK}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND objid::bigint = (hashtext(other.id)::bigint & 4294967295)
  )`;

/** Whether it is no more. */
export const IS_DEAD = `(${IS_SILENT} OR ${IS_GONE})`;

/** The word before this one has come a moment ago: a word that was held up on its way takes nobody for dead. */
const TELLS_SILENT = `($3::boolean AND EXISTS (
    SELECT FROM deckhand_cluster.replica WHERE id = $1 AND beat > clock_timestamp() - ${PAUSED.afterMs} * interval '1 ms'
  ))`;

/**
 * One statement a beat: this process says that it lives, the rows of those that do not are deleted, and what these had
 * claimed is found. Times are the database's. `$3`: whether it can tell who is silent.
 */
const BEAT = `WITH own AS (
    UPDATE deckhand_cluster.replica SET beat = clock_timestamp(), state = $2::jsonb WHERE id = $1 RETURNING id, draining
  ), dead AS (
    DELETE FROM deckhand_cluster.replica AS other
    WHERE other.id <> $1 AND EXISTS (SELECT FROM own) AND (${TELLS_SILENT} AND ${IS_SILENT} OR ${IS_GONE}) RETURNING id
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

const beatSchema = z.object({
  alive: z.boolean(),
  draining: z.boolean(),
  now: z.number(),
  size: z.number(),
  roles: z.array(z.string()),
  orphaned: z.array(z.string()),
});

/** What a process hears when it says that it lives. */
export interface Beat extends Omit<z.infer<typeof beatSchema>, "alive" | "now"> {
  readonly time: DatabaseTime;
}

/** By how much the database's clock is ahead of this process's, and by how much it may be more or less. Milliseconds. */
export interface DatabaseTime {
  readonly aheadMs: number;
  readonly uncertainMs: number;
}

const joinedSchema = z.object({ now: z.number() });

const STARTS_UNTIL = `clock_timestamp() + ${STARTING.aliveMs} * interval '1 ms'`;

const JOIN = `INSERT INTO deckhand_cluster.replica (id, beat, facts)
  VALUES ($1, ${STARTS_UNTIL}, $2::jsonb) RETURNING ${DATABASE_TIME} AS now`;

const START_GOES_ON = `UPDATE deckhand_cluster.replica SET beat = ${STARTS_UNTIL} WHERE id = $1 RETURNING id`;

export interface Joining {
  readonly connection: ClusterConnection;
  readonly id: string;
  readonly clock: Clock;
  /** What the others may know of this process as long as it lives. JSON. */
  readonly facts: object;
  /** What it does at the moment. JSON. */
  readonly state: () => object;
  /** After each word that was heard. */
  readonly beaten: (beat: Beat) => void;
  /** The others have taken this process for dead, or it cannot know. Called once. */
  readonly lost: () => void;
}

/** A process among those that share a database: it lives while it says so, and the others take over when it does not. */
export class Membership {
  readonly #options: Joining;
  readonly #left = new AbortController();
  /** When the process joined. */
  readonly time: DatabaseTime;
  /** When the newest word that was heard was said. Milliseconds since the epoch. */
  #saidAt: number;
  /** From then on it can tell who is silent. Milliseconds since the epoch. */
  #tellsFrom = 0;
  #isLost = false;
  readonly #begun = new AbortController();
  #beating: Promise<void> = Promise.resolve();

  private constructor(options: Joining, saidAt: number, time: DatabaseTime) {
    this.#options = options;
    this.#saidAt = saidAt;
    this.time = time;
  }

  /** From now on what this process claims is its own. */
  static async join(options: Joining): Promise<Membership> {
    const { connection, id, clock, facts } = options;
    // The lock first: a row without one is a dead process's.
    await connection.query(`SELECT pg_advisory_lock(${LIFE_LOCK}, hashtext($1))`, [id]);
    const saidAt = clock.now();
    const [row] = await connection.query(JOIN, [id, JSON.stringify(facts)]);
    const membership = new Membership(options, saidAt, timeOf(joinedSchema.parse(row).now, saidAt, clock.now()));
    connection.broken.then(() => membership.#lose()).catch(() => undefined);
    membership.#beating = membership.#keepStarting().catch(() => membership.#lose());
    return membership;
  }

  /** Says again and again that this process lives, and looks after the others. */
  begin(): void {
    this.#begun.abort();
    this.#beating = this.#keepBeating();
  }

  /** Throws StoreError `stale_owner` once the others have taken this process for dead, also where it has just thawed. */
  async requireAlive(): Promise<void> {
    if (!this.#isLost && this.certainMs() === 0) await this.#beat().catch(() => this.#lose());
    if (this.#isLost || this.#left.signal.aborted)
      throw new StoreError("stale_owner", "the other replicas have taken this one for dead");
  }

  /** What this process holds is the others' from now on; its connection goes on. */
  async leave(): Promise<void> {
    if (this.#left.signal.aborted) return;
    this.#left.abort();
    await this.#beating;
    const { connection, id } = this.#options;
    await connection.query("DELETE FROM deckhand_cluster.replica WHERE id = $1", [id]).catch(() => undefined); // broken: they know
  }

  /** For so many milliseconds from now on the others take this process for alive, whatever becomes of it; 0: nobody knows. */
  certainMs(): number {
    const ago = this.#options.clock.now() - this.#saidAt;
    return this.#isLost || this.#left.signal.aborted || ago < 0 ? 0 : Math.max(0, CERTAIN_MS - ago);
  }

  /** What others have left cannot be looked for yet: its tables may not be there. */
  async #keepStarting(): Promise<void> {
    const { connection, id, clock } = this.#options;
    const over = AbortSignal.any([this.#begun.signal, this.#left.signal]);
    while ((await slept(clock, STARTING.everyMs, over)) && !this.#isLost) {
      const at = clock.now();
      if ((await connection.query(START_GOES_ON, [id])).length === 0) return this.#lose();
      this.#saidAt = at;
    }
  }

  async #keepBeating(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#left.signal.aborted && !this.#isLost) {
      await this.#beat().catch(() => this.#lose());
      await slept(clock, BEAT_EVERY_MS, this.#left.signal);
    }
  }

  async #beat(): Promise<void> {
    const { connection, id, clock, state, beaten } = this.#options;
    const at = clock.now();
    if (Math.abs(at - this.#saidAt) > PAUSED.afterMs) this.#tellsFrom = at + PAUSED.graceMs;
    const asked = connection.query(BEAT, [id, JSON.stringify(state()), at >= this.#tellsFrom]);
    const [row] = await this.#inTime(asked);
    const { alive, now, ...beat } = beatSchema.parse(row);
    if (!alive) return this.#lose();
    this.#saidAt = at;
    if (!this.#left.signal.aborted) beaten({ ...beat, time: timeOf(now, at, clock.now()) });
  }

  /**
   * Rejects where no answer comes in time: a network that swallows everything breaks no connection. A process that was stopped
   * goes on with timers that are over, and hears the answer after them.
   */
  async #inTime<T>(answer: Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const late = Promise.withResolvers<never>();
    const refuse = () => late.reject(new StoreError("stale_owner", "the database does not answer"));
    let cancel = clock.after(ANSWER_MS, () => {
      cancel = clock.after(BEAT_EVERY_MS, refuse);
    });
    try {
      return await Promise.race([answer, late.promise]);
    } finally {
      cancel();
    }
  }

  #lose(): void {
    if (this.#isLost || this.#left.signal.aborted) return;
    this.#isLost = true;
    this.#options.lost();
  }
}

/** The database said its time at some moment between the two. */
function timeOf(database: number, asked: number, answered: number): DatabaseTime {
  return { aheadMs: database - (asked + answered) / 2, uncertainMs: Math.abs(answered - asked) / 2 };
}
