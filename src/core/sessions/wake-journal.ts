import type { Log } from "../protocol/log.ts";
import type { Message } from "../protocol/messages.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { Store, StoreTransaction } from "../store/store.ts";
import type { Done, Proof } from "./engine.ts";
import { postKey } from "./post-once.ts";
import { tryAgain } from "./try-again.ts";

export interface WakeJournalOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly sessionId: string;
  readonly runId: string;
  readonly epoch: number;
  /** The run has steps of an earlier wake behind it. */
  readonly isResumed: boolean;
  /** The end of this owner. */
  readonly suspended: AbortSignal;
}

type Work<T> = (tx: StoreTransaction) => Promise<T>;

/** The steps of a run as its wake writes them: each is one transaction that checks the epoch once. */
export class WakeJournal {
  readonly #options: WakeJournalOptions;
  readonly #history: HistoryEnd;
  /** Goes with the next transaction. */
  readonly #staged = new Map<string, unknown>();
  readonly #deferred = new Map<string, Work<void>>();
  /** Posts announced by a transaction of this wake. Milliseconds since the epoch. */
  readonly #intents = new Map<string, number>();
  /** Steps that are done, or were tried; a run that begins with this wake has none behind it. */
  #keys: Promise<Set<string>> | null;

  constructor(options: WakeJournalOptions, history: HistoryEnd) {
    this.#options = options;
    this.#history = history;
    this.#keys = options.isResumed ? null : Promise.resolve(new Set());
  }

  async earlier(key: string): Promise<Done> {
    const { store, runId } = this.#options;
    if (this.#staged.has(key)) return { found: true, value: this.#staged.get(key) };
    return (await this.#known()).has(key) ? store.journal.get(runId, key) : { found: false, value: undefined };
  }

  stage(key: string, value: unknown): void {
    this.#staged.set(key, value);
  }

  defer(key: string, work: Work<void>): void {
    this.#deferred.set(key, work);
  }

  async flush(): Promise<void> {
    if (this.#deferred.size > 0) await this.commit(() => Promise.resolve(), { isDone: () => Promise.resolve(false) });
  }

  intentOf(key: string): number | null {
    const at = this.#intents.get(key) ?? null;
    this.#intents.delete(key);
    return at;
  }

  /** Under its key it counts once, and what led to it is not lost. */
  transaction<T>(key: string, work: Work<T>): Promise<T> {
    return this.#persistently(key, async (tx, attempt) => {
      const { runId, clock } = this.#options;
      const keys = await this.#known();
      if (attempt > 1 || keys.has(key)) {
        const done = await tx.journal.get(runId, key);
        if (done.found) return fromJournal<T>(done.value);
      }
      keys.add(key);
      const value = await work(tx);
      await this.#writeJournal(tx, [[key, value]], clock.now());
      return value;
    });
  }

  async commit(work: Work<void>, { isDone, announces = [] }: Proof): Promise<void> {
    const { runId, sessionId, clock } = this.#options;
    const at = clock.now();
    await this.#persistently("", async (tx, attempt) => {
      if (attempt > 1 && (await isDone(tx))) return;
      await this.#writeJournal(tx, [], at);
      await work(tx);
      for (const key of announces) await tx.posts.intend({ key: postKey(runId, key), runId, sessionId, at });
    });
    for (const key of announces) this.#intents.set(key, at);
  }

  /** With what has been staged. */
  async #writeJournal(tx: StoreTransaction, own: readonly (readonly [string, unknown])[], at: number): Promise<void> {
    const { runId } = this.#options;
    for (const work of this.#deferred.values()) await work(tx);
    await tx.journal.putAll(runId, [...this.#staged, ...own], at);
  }

  #persistently<T>(key: string, work: (tx: StoreTransaction, attempt: number) => Promise<T>): Promise<T> {
    const { store, clock, sessionId, runId, epoch, suspended } = this.#options;
    const once = async (attempt: number) => {
      const [staged, deferred] = [[...this.#staged.keys()], [...this.#deferred]];
      await this.#known();
      const value = await this.#history.during(() =>
        store.transaction(async (tx) => {
          await tx.sessions.fence(sessionId, epoch, clock.now());
          return work(tx, attempt);
        }),
      );
      const keys = await this.#known();
      for (const name of staged) {
        this.#staged.delete(name);
        keys.add(name);
      }
      for (const [name, each] of deferred) if (this.#deferred.get(name) === each) this.#deferred.delete(name);
      return value;
    };
    return tryAgain(once, { ...this.#options, signal: suspended, what: { runId, key } });
  }

  #known(): Promise<Set<string>> {
    const { store, runId } = this.#options;
    this.#keys ??= store.journal.keysOf(runId, "").then((keys) => new Set(keys));
    return this.#keys;
  }
}

/** The number of the session's newest message, as far as a wake knows it: nobody else appends while it owns the session. */
export class HistoryEnd {
  #committed: number | null;
  #appended: number | null = null;
  /** All there is; null where there is more than this wake has appended, or may be. */
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

  /** A transaction that fails, or whose end nobody learns, leaves the number to be read anew. */
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

/** What the same step journalled before it was cut off; its type is the step's own. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the one place that trusts the key
export function fromJournal<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the same key's step
  return value as T;
}
