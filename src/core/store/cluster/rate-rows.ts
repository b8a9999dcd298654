import { z } from "zod";
import type { RateBucket } from "../../protocol/platform.ts";
import type { RateAnswer, RateAsk, SharedRates } from "../../shared-rates.ts";
import type { RowsScope } from "./cluster-connection.ts";

/** The database's time at the moment when each row is judged, which is after it has been locked. */
const NOW = "clock_timestamp()";

const untilMs = (time: string) => `(extract(epoch FROM ${time} - ${NOW}) * 1000)::float8`;

/** New state of a bucket that lacks this much: when it is full, and whether a token was taken. Milliseconds. */
const judged = (lacksMs: string, of: string) => `
  SELECT ${NOW} + (lacks_ms + CASE WHEN taken THEN every_ms WHEN tokens < 0 THEN -every_ms ELSE 0 END) * interval '1 ms', taken
  FROM (
    SELECT lacks_ms, every_ms, tokens,
      tokens > 0 AND closed_ms <= 0 AND lacks_ms <= (burst - 1 - kept) * every_ms AS taken
    FROM (SELECT ${lacksMs} AS lacks_ms, every_ms, burst, kept, tokens, closed_ms ${of}) AS bucket
  ) AS verdict`;

/**
 * Asks for several buckets, each named once. Rows are locked in the order of their names, so that processes cannot
 * deadlock. A bucket never lacks more than all its tokens; otherwise, after the clock was set back, it would wait until
 * the clock had caught up.
 */
const ASK = `WITH asked AS (
    SELECT name, burst, every_ms, kept, tokens, least(told_ms, burst * every_ms) AS told_ms,
      coalesce((SELECT ${untilMs("gate.full_at")} FROM deckhand_cluster.rate AS gate WHERE gate.name = asked.gate), 0) AS closed_ms
    FROM unnest($1::text[], $2::text[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[])
      AS asked(name, gate, burst, every_ms, kept, tokens, told_ms)
  )
  INSERT INTO deckhand_cluster.rate AS rate (name, full_at, is_taken)
  SELECT name, fresh.* FROM asked, LATERAL (${judged("told_ms", "")}) AS fresh ORDER BY name
  ON CONFLICT (name) DO UPDATE SET (full_at, is_taken) = (${judged(
    `greatest(told_ms, least(${untilMs("rate.full_at")}, burst * every_ms))`,
    "FROM asked WHERE asked.name = rate.name",
  )})
  RETURNING name, is_taken AS "isTaken", ${untilMs("full_at")} AS "lacksMs",
    (SELECT closed_ms FROM asked WHERE asked.name = rate.name) AS "closedMs"`;

const answersSchema = z.array(
  z.object({ name: z.string(), isTaken: z.boolean(), lacksMs: z.number(), closedMs: z.number() }),
);

/** Full buckets need no row. Skips rows that another process has locked. */
const FORGET = `DELETE FROM deckhand_cluster.rate WHERE name IN (
  SELECT name FROM deckhand_cluster.rate WHERE full_at < ${NOW} - interval '1 minute' FOR UPDATE SKIP LOCKED)`;

const FORGET_EVERY_MS = 60_000;

/** Answer for all rates while the database does not answer. Milliseconds. */
const UNANSWERED: RateAnswer = { isTaken: false, lacksMs: 0, closedMs: 1_000 };

/** A gate is a bucket that lacks tokens while it is closed, which no platform does for longer. Milliseconds. */
const LONGEST_CLOSED_MS = 3_600_000;
const GATE: RateBucket = { burst: LONGEST_CLOSED_MS, everyMs: 1 };

interface Asked extends RateAsk {
  readonly tokens: 1 | 0 | -1;
  /** Time until the bucket is full, as far as the asking process alone knows. Milliseconds. */
  readonly lacksMs: number;
  readonly answered: (answer: RateAnswer) => void;
}

const TELLING = { gate: "", kept: 0, tokens: 0, answered: () => undefined } as const;

/**
 * Buckets as rows of the database, asked for over the cluster's connection so that they take none from the pool that
 * serves people. Requests that arrive while one is under way share the next statement, so that a heartbeat waits behind
 * at most one of them.
 */
export class RateRows implements SharedRates {
  readonly #world: RowsScope;
  /** In order of arrival. */
  #waiting: Asked[] = [];
  #isAsking = false;
  #forgotAt: number;

  constructor(world: RowsScope) {
    this.#world = world;
    this.#forgotAt = world.clock.now();
  }

  take(ask: RateAsk, answered: Asked["answered"]): void {
    this.#ask({ ...ask, tokens: 1, lacksMs: 0, answered });
  }

  giveBack(bucket: string, rate: RateBucket): void {
    this.#ask({ ...TELLING, bucket, rate, tokens: -1, lacksMs: 0 });
  }

  lacks(bucket: string, rate: RateBucket, lacksMs: number): void {
    this.#ask({ ...TELLING, bucket, rate, lacksMs });
  }

  close(gate: string, forMs: number): void {
    this.#ask({ ...TELLING, bucket: gate, rate: GATE, lacksMs: forMs });
  }

  #ask(asked: Asked): void {
    this.#waiting.push(asked);
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#askAll().catch((error: unknown) => this.#world.log.error({ err: error }, "rates_not_asked"));
  }

  async #askAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#takeBatch();
        const answers = await this.#answersTo([...batch.values()]);
        for (const [name, { answered }] of batch) answered(answers.get(name) ?? UNANSWERED);
        await this.#forget();
      }
    } finally {
      this.#isAsking = false;
    }
  }

  /** Takes the oldest request of each bucket, because a statement can write a row only once. */
  #takeBatch(): ReadonlyMap<string, Asked> {
    const batch = new Map<string, Asked>();
    for (const asked of this.#waiting) if (!batch.has(asked.bucket)) batch.set(asked.bucket, asked);
    this.#waiting = this.#waiting.filter((asked) => batch.get(asked.bucket) !== asked);
    return batch;
  }

  async #answersTo(batch: readonly Asked[]): Promise<ReadonlyMap<string, RateAnswer>> {
    const columns = [
      batch.map(({ bucket }) => bucket),
      batch.map(({ gate }) => gate),
      batch.map(({ rate }) => rate.burst),
      batch.map(({ rate }) => rate.everyMs),
      batch.map(({ kept }) => kept),
      batch.map(({ tokens }) => tokens),
      batch.map(({ lacksMs }) => lacksMs),
    ];
    try {
      const rows = answersSchema.parse(await this.#world.connection.query(ASK, columns));
      return new Map(rows.map(({ name, isTaken, lacksMs, closedMs }) => [name, whole({ isTaken, lacksMs, closedMs })]));
    } catch (error) {
      this.#world.log.warn({ err: error }, "rates_not_known");
      return new Map();
    }
  }

  async #forget(): Promise<void> {
    const { connection, clock, log } = this.#world;
    if (Math.abs(clock.now() - this.#forgotAt) < FORGET_EVERY_MS) return;
    this.#forgotAt = clock.now();
    await connection.query(FORGET).catch((error: unknown) => log.warn({ err: error }, "rates_not_forgotten"));
  }
}

/** Rounds up, because timers take whole milliseconds. */
function whole({ isTaken, lacksMs, closedMs }: RateAnswer): RateAnswer {
  return { isTaken, lacksMs: Math.max(0, Math.ceil(lacksMs)), closedMs: Math.max(0, Math.ceil(closedMs)) };
}
