import { z } from "zod";
import type { RateBucket } from "../../platform/descriptor.ts";
import type { RateRequest, RateResult, SharedRates } from "../../shared-rates.ts";
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
const DELETE_FULL = `DELETE FROM deckhand_cluster.rate WHERE name IN (
  SELECT name FROM deckhand_cluster.rate WHERE full_at < ${NOW} - interval '1 minute' FOR UPDATE SKIP LOCKED)`;

const DELETE_EVERY_MS = 60_000;

/** Answer for all rates while the database does not answer. Milliseconds. */
const UNANSWERED: RateResult = { isTaken: false, lacksMs: 0, closedMs: 1_000 };

/** A gate is a bucket that lacks tokens while it is closed, which no platform does for longer. Milliseconds. */
const LONGEST_CLOSED_MS = 3_600_000;
const GATE: RateBucket = { burst: LONGEST_CLOSED_MS, everyMs: 1 };

interface QueuedRequest extends RateRequest {
  readonly tokens: 1 | 0 | -1;
  /** Time until the bucket is full, as far as the asking process alone knows. Milliseconds. */
  readonly lacksMs: number;
  readonly answered: (answer: RateResult) => void;
}

const REPORT = { gate: "", reserved: 0, tokens: 0, answered: () => undefined } as const;

/**
 * Buckets as rows of the database, asked for over the cluster's connection so that they take none from the pool that
 * serves people. Requests that arrive while one is under way share the next statement, so that a heartbeat waits behind
 * at most one of them.
 */
export class RateRows implements SharedRates {
  readonly #scope: RowsScope;
  /** In order of arrival. */
  #waiting: QueuedRequest[] = [];
  #isSending = false;
  #deletedAt: number;

  constructor(scope: RowsScope) {
    this.#scope = scope;
    this.#deletedAt = scope.clock.now();
  }

  take(ask: RateRequest, answered: QueuedRequest["answered"]): void {
    this.#enqueue({ ...ask, tokens: 1, lacksMs: 0, answered });
  }

  refund(bucket: string, rate: RateBucket): void {
    this.#enqueue({ ...REPORT, bucket, rate, tokens: -1, lacksMs: 0 });
  }

  reportDeficit(bucket: string, rate: RateBucket, lacksMs: number): void {
    this.#enqueue({ ...REPORT, bucket, rate, lacksMs });
  }

  closeGate(gate: string, forMs: number): void {
    this.#enqueue({ ...REPORT, bucket: gate, rate: GATE, lacksMs: forMs });
  }

  #enqueue(asked: QueuedRequest): void {
    this.#waiting.push(asked);
    if (this.#isSending) return;
    this.#isSending = true;
    this.#sendAll().catch((error: unknown) => this.#scope.log.error({ err: error }, "rates_not_asked"));
  }

  async #sendAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#takeBatch();
        const answers = await this.#query([...batch.values()]);
        for (const [name, { answered }] of batch) answered(answers.get(name) ?? UNANSWERED);
        await this.#deleteFull();
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** Takes the oldest request of each bucket, because a statement can write a row only once. */
  #takeBatch(): ReadonlyMap<string, QueuedRequest> {
    const batch = new Map<string, QueuedRequest>();
    for (const asked of this.#waiting) if (!batch.has(asked.bucket)) batch.set(asked.bucket, asked);
    this.#waiting = this.#waiting.filter((asked) => batch.get(asked.bucket) !== asked);
    return batch;
  }

  async #query(batch: readonly QueuedRequest[]): Promise<ReadonlyMap<string, RateResult>> {
    const columns = [
      batch.map(({ bucket }) => bucket),
      batch.map(({ gate }) => gate),
      batch.map(({ rate }) => rate.burst),
      batch.map(({ rate }) => rate.everyMs),
      batch.map(({ reserved }) => reserved),
      batch.map(({ tokens }) => tokens),
      batch.map(({ lacksMs }) => lacksMs),
    ];
    try {
      const rows = answersSchema.parse(await this.#scope.connection.query(ASK, columns));
      return new Map(rows.map(({ name, isTaken, lacksMs, closedMs }) => [name, whole({ isTaken, lacksMs, closedMs })]));
    } catch (error) {
      this.#scope.log.warn({ err: error }, "rates_not_known");
      return new Map();
    }
  }

  async #deleteFull(): Promise<void> {
    const { connection, clock, log } = this.#scope;
    if (Math.abs(clock.now() - this.#deletedAt) < DELETE_EVERY_MS) return;
    this.#deletedAt = clock.now();
    await connection.query(DELETE_FULL).catch((error: unknown) => log.warn({ err: error }, "rates_not_forgotten"));
  }
}

/** Rounds up, because timers take whole milliseconds. */
function whole({ isTaken, lacksMs, closedMs }: RateResult): RateResult {
  return { isTaken, lacksMs: Math.max(0, Math.ceil(lacksMs)), closedMs: Math.max(0, Math.ceil(closedMs)) };
}
