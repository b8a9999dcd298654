import { z } from "zod";
import { StoreError } from "../../protocol/errors.ts";
import type { Clock } from "../../protocol/runtime.ts";
import { CLAIMS } from "./claim-rows.ts";
import type { ClusterConnection } from "./cluster-connection.ts";

/** How often a process says that it lives, and looks for those that do not. Milliseconds. */
const BEAT_EVERY_MS = 500;

/** After so long without a word a process is taken for dead, though its connection stands: it is frozen. Milliseconds. */
const SILENT_MS = 4_000;

/** For so long after its last word a process need not ask whether it still counts. Milliseconds. */
const CERTAIN_MS = 2_500;

/** How long a start may take until the first word. Milliseconds. */
const START_MS = 60_000;

/** A word that is not answered for so long is not heard. Milliseconds. */
const ANSWER_MS = 10_000;

/** The first half of the advisory lock that each process holds for as long as it lives; the second half is its id's hash. */
const LIFE_LOCK = 4_242;

/**
 * One statement a beat: this process says that it lives, the rows of those that do not are deleted, and what these had
 * claimed is found. Times are the database's.
 */
const BEAT = `WITH own AS (
    UPDATE deckhand_cluster.replica SET beat = clock_timestamp() WHERE id = $1 RETURNING id
  ), dead AS (
    DELETE FROM deckhand_cluster.replica AS other
    WHERE other.id <> $1 AND EXISTS (SELECT FROM own) AND (
      other.beat < clock_timestamp() - ${SILENT_MS} * interval '1 ms' OR NOT EXISTS (
        SELECT FROM pg_locks
        WHERE locktype = 'advisory' AND granted AND classid = ${LIFE_LOCK}
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND objid::bigint = (hashtext(other.id)::bigint & 4294967295)
      )
    ) RETURNING id
  )
  SELECT EXISTS (SELECT FROM own) AS alive, ARRAY(
    SELECT DISTINCT executor_id FROM ${CLAIMS} WHERE status = 'PENDING' AND EXISTS (SELECT FROM own) AND (
      executor_id IN (SELECT id FROM dead)
      OR executor_id NOT IN (SELECT id FROM deckhand_cluster.replica)
    )
  ) AS orphaned`;

const beatSchema = z.object({ alive: z.boolean(), orphaned: z.array(z.string()) });

export interface Joining {
  readonly connection: ClusterConnection;
  readonly id: string;
  readonly clock: Clock;
  /** Processes that are no more and have left sessions behind; called again until nothing of theirs is left. */
  readonly orphaned: (ids: readonly string[]) => void;
  /** The others have taken this process for dead, or it cannot know. Called once. */
  readonly lost: () => void;
}

/** A process among those that share a database: it lives while it says so, and the others take over when it does not. */
export class Membership {
  readonly #options: Joining;
  readonly #left = new AbortController();
  /** When the newest word that was heard was said. Milliseconds since the epoch. */
  #saidAt = 0;
  #isLost = false;
  #beating: Promise<void> = Promise.resolve();

  private constructor(options: Joining) {
    this.#options = options;
  }

  /** From now on what this process claims is its own. It must `begin` before it has said nothing for too long. */
  static async join(options: Joining): Promise<Membership> {
    const { connection, id, clock } = options;
    const membership = new Membership(options);
    membership.#saidAt = clock.now();
    // The lock first: a row without one is a dead process's.
    await connection.query(`SELECT pg_advisory_lock(${LIFE_LOCK}, hashtext($1))`, [id]);
    await connection.query(
      "INSERT INTO deckhand_cluster.replica (id, beat) VALUES ($1, clock_timestamp() + $2::bigint * interval '1 ms')",
      [id, START_MS],
    );
    connection.broken.then(() => membership.#lose()).catch(() => undefined);
    return membership;
  }

  /** Says again and again that this process lives, and looks after the others. */
  begin(): void {
    this.#beating = this.#keepBeating();
  }

  /** Throws StoreError `stale_owner` once the others have taken this process for dead, also where it has just thawed. */
  async requireAlive(): Promise<void> {
    if (!this.#isLost && !this.#isCertain()) await this.#beat().catch(() => this.#lose());
    if (this.#isLost) throw new StoreError("stale_owner", "the other replicas have taken this one for dead");
  }

  /** What this process holds is the others' from now on. */
  async leave(): Promise<void> {
    this.#left.abort();
    await this.#beating;
    await this.#options.connection.close();
  }

  #isCertain(): boolean {
    const ago = this.#options.clock.now() - this.#saidAt;
    return ago >= 0 && ago < CERTAIN_MS;
  }

  async #keepBeating(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#left.signal.aborted && !this.#isLost) {
      await this.#beat().catch(() => this.#lose());
      await clock.sleep(BEAT_EVERY_MS, this.#left.signal).catch(() => undefined); // left: the loop ends
    }
  }

  async #beat(): Promise<void> {
    const { connection, id, clock, orphaned } = this.#options;
    const at = clock.now();
    const [row] = await connection.query(BEAT, [id], ANSWER_MS);
    const beat = beatSchema.parse(row);
    if (!beat.alive) return this.#lose();
    this.#saidAt = Math.max(this.#saidAt, at);
    if (beat.orphaned.length > 0) orphaned(beat.orphaned);
  }

  #lose(): void {
    if (this.#isLost || this.#left.signal.aborted) return;
    this.#isLost = true;
    this.#options.lost();
  }
}
