import { KeyedMutex } from "../keyed-mutex.ts";
import type { Log } from "../protocol/log.ts";
import type { Message } from "../protocol/messages.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { Store, StoreTransaction } from "../store/store.ts";
import { type CommitProof, type JournalledValue, REPEATABLE } from "./engine.ts";
import { postKey } from "./post-once.ts";
import { tryAgain } from "./try-again.ts";

export interface WakeJournalOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly sessionId: string;
  readonly runId: string;
  readonly epoch: number;
  /** Whether the run has steps from earlier wakes. */
  readonly isResumed: boolean;
  /** Aborts when this owner ends. */
  readonly suspended: AbortSignal;
}

type Work<T> = (tx: StoreTransaction) => Promise<T>;
type Entry = readonly [key: string, value: unknown];

interface Load {
  readonly staged: readonly Entry[];
  readonly deferred: readonly (readonly [name: string, work: Work<void>])[];
}

/** Journals the steps of a run during one wake. Each step is one transaction that checks the epoch once. */
export class WakeJournal {
  readonly #options: WakeJournalOptions;
  readonly #history: HistoryCursor;
  /** Entries that are written with the next transaction. */
  readonly #staged = new Map<string, unknown>();
  readonly #deferred = new Map<string, Work<void>>();
  /** Times of the intents that this wake's transactions have announced, by key, in milliseconds since the epoch. */
  readonly #intents = new Map<string, number>();
  /** Keys of steps that were done or tried. Null until loaded; a run that begins with this wake starts with none. */
  #keys: Set<string> | null;
  readonly #transactions = new KeyedMutex();

  constructor(options: WakeJournalOptions, history: HistoryCursor) {
    this.#options = options;
    this.#history = history;
    this.#keys = options.isResumed ? null : new Set();
  }

  earlier(key: string): Promise<JournalledValue> {
    const { store, runId } = this.#options;
    if (this.#staged.has(key)) return Promise.resolve({ found: true, value: this.#staged.get(key) });
    return this.#again(key, async () =>
      (await this.#known()).has(key) ? store.journal.get(runId, key) : { found: false, value: undefined },
    );
  }

  stage(key: string, value: unknown): void {
    this.#staged.set(key, value);
  }

  defer(key: string, work: Work<void>): void {
    this.#deferred.set(key, work);
  }

  async flush(): Promise<void> {
    if (this.#deferred.size > 0) await this.commit(() => Promise.resolve(), REPEATABLE);
  }

  intentOf(key: string): number | null {
    const at = this.#intents.get(key) ?? null;
    this.#intents.delete(key);
    return at;
  }

  /** Runs work once per key, together with everything staged before it. */
  transaction<T>(key: string, work: Work<T>): Promise<T> {
    const { runId, clock } = this.#options;
    return this.#inTurn(async () => {
      const before = await this.earlier(key);
      if (before.found) return fromJournal<T>(before.value);
      return this.#withRetries(key, async (tx, attempt, load) => {
        const done = attempt > 1 ? await tx.journal.get(runId, key) : before;
        if (done.found) return fromJournal<T>(done.value);
        (await this.#known()).add(key);
        const value = await work(tx);
        await this.#write(tx, [[key, value]], { ...load, attempt, at: clock.now() });
        return value;
      });
    });
  }

  async commit(work: Work<void>, { isDone, announces = [] }: CommitProof): Promise<void> {
    const { runId, sessionId, clock } = this.#options;
    const at = clock.now();
    const write = async (tx: StoreTransaction, attempt: number, load: Load) => {
      if (attempt > 1 && (await isDone(tx))) return;
      await this.#write(tx, [], { ...load, attempt, at });
      await work(tx);
      for (const key of announces) await tx.posts.intend({ key: postKey(runId, key), runId, sessionId, at });
    };
    await this.#inTurn(() => this.#withRetries("", write));
    for (const key of announces) this.#intents.set(key, at);
  }

  /**
   * Writes deferred work, staged entries and the step's own entries. After a failed attempt, skips entries that were
   * committed nevertheless.
   */
  async #write(
    tx: StoreTransaction,
    own: readonly Entry[],
    { staged, deferred, attempt, at }: Load & { readonly attempt: number; readonly at: number },
  ): Promise<void> {
    const { runId } = this.#options;
    for (const [, work] of deferred) await work(tx);
    const stored = new Set(attempt > 1 && staged.length > 0 ? await tx.journal.keysOf(runId, "") : []);
    await tx.journal.putAll(runId, [...staged.filter(([key]) => !stored.has(key)), ...own], at);
  }

  /**
   * Runs transactions one after another, as the session's fence demands, so that each staged entry goes with exactly
   * one of them.
   */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#transactions.run("transactions", work);
  }

  async #withRetries<T>(
    key: string,
    work: (tx: StoreTransaction, attempt: number, load: Load) => Promise<T>,
  ): Promise<T> {
    const { store, clock, sessionId, epoch } = this.#options;
    // All attempts write the same load. Work staged meanwhile goes with the next transaction.
    const load = { staged: [...this.#staged], deferred: [...this.#deferred] };
    const once = async (attempt: number) => {
      await this.#known();
      return this.#history.during(() =>
        store.transaction(async (tx) => {
          await tx.sessions.fence(sessionId, epoch, clock.now());
          return work(tx, attempt, load);
        }),
      );
    };
    const value = await this.#again(key, once);
    const keys = await this.#known();
    for (const [name] of load.staged) {
      this.#staged.delete(name);
      keys.add(name);
    }
    for (const [name, each] of load.deferred) if (this.#deferred.get(name) === each) this.#deferred.delete(name);
    return value;
  }

  #again<T>(key: string, work: (attempt: number) => Promise<T>): Promise<T> {
    const { suspended, runId } = this.#options;
    return tryAgain(work, { ...this.#options, signal: suspended, what: { runId, key } });
  }

  async #known(): Promise<Set<string>> {
    const { store, runId } = this.#options;
    this.#keys ??= new Set(await store.journal.keysOf(runId, ""));
    return this.#keys;
  }
}

/** Tracks the number of the session's newest message during a wake. Only the session's owner appends messages. */
export class HistoryCursor {
  #committed: number | null;
  #appended: number | null = null;
  /** The whole history; null if it may hold more than this wake has appended. */
  #whole: readonly Message[] | null;
  #adding: readonly Message[] = [];

  constructor(isNewSession: boolean) {
    this.#committed = isNewSession ? 0 : null;
    this.#whole = isNewSession ? [] : null;
  }

  whole(): readonly Message[] | null {
    return this.#whole;
  }

  async append(
    tx: StoreTransaction,
    place: { readonly sessionId: string; readonly runId: string },
    messages: readonly Message[],
  ): Promise<void> {
    if (messages.length === 0) return;
    const last = this.#appended ?? this.#committed ?? (await tx.messages.newestSeq(place.sessionId));
    await tx.messages.add({ ...place, after: last }, messages);
    this.#appended = last + messages.length;
    this.#adding = [...this.#adding, ...messages];
  }

  /** If a transaction fails or its result is lost, the number has to be read again. */
  async during<T>(transaction: () => Promise<T>): Promise<T> {
    try {
      const value = await transaction();
      this.#committed = this.#appended ?? this.#committed;
      this.#whole = this.#whole && [...this.#whole, ...this.#adding];
      return value;
    } catch (error) {
      this.#committed = null;
      this.#whole = null;
      throw error;
    } finally {
      this.#appended = null;
      this.#adding = [];
    }
  }
}

/** Returns what the same step journalled before it was interrupted. Its type is that of the step. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the one place that trusts the key
export function fromJournal<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the same key's step
  return value as T;
}
