import { z } from "zod";
import type { GrowthLedger } from "../../growth-ledger.ts";
import { utcDay } from "../../text/utc.ts";
import type { RowsScope } from "./cluster-connection.ts";

/** Adds to figures, each named once, and returns the sums. Rows are locked in order to avoid deadlocks. */
const ADD = `INSERT INTO deckhand_cluster.growth AS growth (day, key, bytes)
  SELECT day, key, bytes FROM unnest($1::date[], $2::text[], $3::bigint[]) AS added(day, key, bytes) ORDER BY day, key
  ON CONFLICT (day, key) DO UPDATE SET bytes = greatest(0, growth.bytes + excluded.bytes)
  RETURNING day::text, key, bytes::float8`;

/** Keeps the day before, because another process may still be in its last moment. */
const FORGET = "DELETE FROM deckhand_cluster.growth WHERE day < $1::date - 1";

/** The first process that sees a directory records what it held. */
const SEE = `INSERT INTO deckhand_cluster.given_root AS given (root, bytes) VALUES ($1, $2::bigint)
  ON CONFLICT (root) DO UPDATE SET bytes = given.bytes RETURNING bytes::float8`;

const GIVEN = "SELECT bytes::float8 FROM deckhand_cluster.given_root WHERE root = $1";

const sumsSchema = z.array(z.object({ day: z.string(), key: z.string(), bytes: z.number() }));
const givenSchema = z.array(z.object({ bytes: z.number() }));

/**
 * New amounts are written after this delay, and a figure older than this is read again before it is used. So after
 * twice this time each process knows what the others have counted. Milliseconds.
 */
const OLD_MS = 2_500;

interface Figure {
  readonly day: string;
  readonly key: string;
  /** Sum over all processes, as last read. */
  sum: number;
  /** What this process has added since `sum` was read. */
  unsent: number;
  readAt: number;
  isAsked: boolean;
}

/**
 * The day's growth as rows that processes share; each process adds its new amounts in one statement. A limit may be
 * exceeded only by what calls in other processes add at the same time or added within the last five seconds. What one
 * process adds and another removes within that time stays counted. If a process is killed, the amounts of its last 2.5
 * seconds are lost.
 */
export class GrowthRows implements GrowthLedger {
  readonly #scope: RowsScope;
  readonly #figures = new Map<string, Figure>();
  readonly #given = new Map<string, number>();
  #last: Promise<void> = Promise.resolve();
  #cancelWrite: (() => void) | null = null;
  #isClosed = false;
  /** The day for which earlier days have already been deleted. */
  #forgotOn = "";

  constructor(scope: RowsScope) {
    this.#scope = scope;
  }

  ready(keys: readonly string[], root: string | null): Promise<void> | null {
    const before = this.#scope.clock.now() - OLD_MS;
    const old = keys.map((key) => this.#figure(key)).filter(({ readAt }) => readAt <= before);
    for (const figure of old) figure.isAsked = true;
    const isNew = root !== null && !this.#given.has(root);
    if (old.length === 0 && !isNew) return null;
    const asked = [this.#exchange()];
    if (isNew) asked.push(this.#askGiven(root, GIVEN, [root]));
    return Promise.all(asked).then(() => undefined);
  }

  bytes(key: string): number {
    const { sum, unsent } = this.#figure(key);
    return sum + unsent;
  }

  add(key: string, bytes: number): void {
    const figure = this.#figure(key);
    figure.unsent = Math.max(-figure.sum, figure.unsent + bytes);
    this.#writeSoon();
  }

  given(root: string): number | null {
    return this.#given.get(root) ?? null;
  }

  see(root: string, bytes: number): void {
    this.#given.set(root, bytes);
    this.#askGiven(root, SEE, [root, bytes]).catch((error: unknown) => this.#warn(error));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelWrite?.();
    await this.#exchange();
  }

  #figure(key: string): Figure {
    const day = utcDay(this.#scope.clock.now());
    const known = this.#figures.get(`${day} ${key}`);
    if (known !== undefined) return known;
    const figure = { day, key, sum: 0, unsent: 0, readAt: Number.NEGATIVE_INFINITY, isAsked: false };
    this.#figures.set(`${day} ${key}`, figure);
    return figure;
  }

  #writeSoon(): void {
    if (this.#isClosed) return;
    this.#cancelWrite ??= this.#scope.clock.after(OLD_MS, () => {
      this.#cancelWrite = null;
      this.#exchange().catch((error: unknown) => this.#warn(error));
    });
  }

  /** Sends all new and requested figures in one statement once the exchange before is over. Never rejects. */
  #exchange(): Promise<void> {
    this.#last = this.#last.then(() =>
      this.#exchanged().catch((error: unknown) => {
        this.#warn(error);
        this.#writeSoon();
      }),
    );
    return this.#last;
  }

  async #exchanged(): Promise<void> {
    const { connection, clock } = this.#scope;
    const asked = [...this.#figures.values()]
      .filter(({ unsent, isAsked }) => unsent !== 0 || isAsked)
      .map((figure) => ({ ...figure, figure }));
    if (asked.length === 0) return;
    const readAt = clock.now();
    const columns = [asked.map(({ day }) => day), asked.map(({ key }) => key), asked.map(({ unsent }) => unsent)];
    const sums = new Map(
      sumsSchema.parse(await connection.query(ADD, columns)).map(({ day, key, bytes }) => [`${day} ${key}`, bytes]),
    );
    for (const { figure, unsent } of asked) {
      const sum = sums.get(`${figure.day} ${figure.key}`) ?? 0;
      Object.assign(figure, { sum, readAt, isAsked: false, unsent: Math.max(-sum, figure.unsent - unsent) });
    }
    await this.#forget(utcDay(readAt));
  }

  /** Deletes the figures of earlier days, once a day. */
  async #forget(day: string): Promise<void> {
    if (this.#forgotOn === day) return;
    for (const [name, figure] of this.#figures)
      if (figure.day !== day && figure.unsent === 0) this.#figures.delete(name);
    await this.#scope.connection.query(FORGET, [day]);
    this.#forgotOn = day;
  }

  async #askGiven(root: string, sql: string, values: readonly (string | number)[]): Promise<void> {
    try {
      const [row] = givenSchema.parse(await this.#scope.connection.query(sql, values));
      if (row !== undefined) this.#given.set(root, row.bytes);
    } catch (error) {
      this.#given.delete(root); // Asked for again the next time.
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    this.#scope.log.warn({ err: error }, "growth_not_shared");
  }
}
