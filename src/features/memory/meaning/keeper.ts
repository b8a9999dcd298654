import type { BackgroundEmbedder } from "../../../core/budget/background-embedder.ts";
import { dayBegan } from "../../../core/budget/limits.ts";
import { BudgetStop } from "../../../core/budget/run-budget.ts";
import { toAppError } from "../../../core/protocol/errors.ts";
import type { StoreTransaction } from "../../../core/store/store.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { audienceWords, workspaceOf } from "../audience.ts";
import type { IndexWord } from "../search/words.ts";
import { threadIn } from "../store.ts";
import type { Nearest } from "./nearest.ts";
import { type Placed, vectorReads, vectorWrites } from "./store.ts";
import { type KeptVector, kept, signBytes } from "./vectors.ts";

export interface KeeperOptions extends Pick<FeatureHost, "store" | "runtime" | "database"> {
  readonly log: Pick<FeatureHost["log"], "info" | "warn">;
  readonly embedder: BackgroundEmbedder;
  readonly nearest: Nearest;
  /** Texts that are sent in a day at most. */
  readonly perDay: number;
}

/** Memories that are read at once, and texts that one request sends: no provider takes fewer. */
const PAGE = 500;
const BATCH = 64;
/** What any model takes. */
const HARMLESS = ["memory"];

/** The day has used up what it may send. */
class UsedUp extends Error {}

/** Sees to it that each memory has a vector of the model that is set, and that all vectors are held. */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #reads: ReturnType<typeof vectorReads>;
  /** The model with the size of its vectors; null until that is known. */
  #key: string | null = null;
  #isHeld = false;
  /** Memories up to this one have their vectors. */
  #doneTo = 0;
  /** The first that has changed since. */
  #changedFrom = Infinity;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#reads = options.store.tables((db) => vectorReads(db, options.database));
  }

  /** The model's vectors have so many dimensions; what is kept of another size is made anew. */
  sized(dimensions: number): void {
    const { embedder, log, nearest } = this.#options;
    const key = `${embedder.ref} ${dimensions}`;
    if (this.#key === key) return;
    if (this.#key !== null) log.info({ model: embedder.ref, dimensions }, "memories_embedded_anew");
    this.#key = key;
    this.#isHeld = false;
    this.#doneTo = 0;
    nearest.begin(signBytes(dimensions));
  }

  /** A memory that was there says something else. */
  changed(seq: number): void {
    this.#options.nearest.remove(seq);
    this.#changedFrom = Math.min(this.#changedFrom, seq);
  }

  /** Holds what another process has made since, up to the first memory that has no vector yet. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.hold(signal);
    this.#goBack();
    await this.#holdAfter(this.#doneTo, signal);
  }

  /** Looks at all of them once more where one has no vector: it may have changed and nobody has told. */
  async lookAgain(): Promise<void> {
    if ((await this.missing()) > 0) this.#changedFrom = 0;
  }

  /** How many memories have no vector yet. */
  missing(): Promise<number> {
    const { ref } = this.#options.embedder;
    return this.#reads.without(this.#key === null ? [ref] : [ref, this.#key]);
  }

  /** Holds the vectors that there are, the first time. */
  async hold(signal: AbortSignal): Promise<void> {
    const size = this.#key === null ? await this.#reads.newestSize(this.#options.embedder.ref) : null;
    if (size !== null) this.sized(size);
    if (this.#isHeld || this.#key === null) return;
    await this.#holdAfter(0, signal);
    this.#isHeld = true;
  }

  /** Begins anew where something has changed. */
  #goBack(): void {
    this.#doneTo = Math.min(this.#doneTo, this.#changedFrom - 1);
    this.#changedFrom = Infinity;
  }

  async #holdAfter(seq: number, signal: AbortSignal): Promise<void> {
    let isWhole = true;
    for await (const page of pages(seq, this.#reads, signal)) {
      for (const placed of page) {
        this.#hold(placed);
        isWhole &&= this.#isDone(placed);
        if (isWhole) this.#doneTo = placed.seq;
      }
    }
  }

  /**
   * Does what there is to do: the database says what is missing, so that no crash loses any. False where the day's share
   * is used up, or what a limit leaves. Rejects as the provider and the database fail, and goes on from there the next time.
   */
  async pass(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#passOver(signal);
      return true;
    } catch (error) {
      if (error instanceof UsedUp || error instanceof BudgetStop) return false;
      throw error;
    }
  }

  async #passOver(signal: AbortSignal): Promise<void> {
    await this.hold(signal);
    this.#goBack();
    for await (const page of pages(this.#doneTo, this.#reads, signal)) {
      for (const placed of page) this.#hold(placed);
      const before = this.#key;
      const pending = page.filter((placed) => !this.#isDone(placed));
      await this.#makeAll(pending, signal);
      // The size is another than it was: what was passed by is to be made anew.
      if (before !== null && this.#key !== before) return this.#passOver(signal);
      this.#doneTo = page.at(-1)?.seq ?? this.#doneTo;
    }
  }

  /** Its vector is there, or the model takes no such text. */
  #isDone({ model }: Placed): boolean {
    return model !== null && (model === this.#key || model === this.#options.embedder.ref);
  }

  #hold({ model, ...placed }: Placed): void {
    const { nearest } = this.#options;
    if (model === this.#key && !nearest.has(placed.seq)) nearest.add(placed.seq, audiencesOf(placed), placed.signs);
  }

  async #makeAll(pending: readonly Placed[], signal: AbortSignal): Promise<void> {
    for (let from = 0; from < pending.length; ) {
      const batch = pending.slice(from, from + Math.min(await this.#left(), BATCH));
      await this.#make(batch, signal);
      from += batch.length;
    }
  }

  /** Texts that may be sent today; one at least, or it throws. */
  async #left(): Promise<number> {
    const { runtime, perDay } = this.#options;
    const left = perDay - (await this.#reads.sentOn(dayBegan(runtime.clock.now())));
    if (left <= 0) throw new UsedUp();
    return left;
  }

  async #make(batch: readonly Placed[], signal: AbortSignal): Promise<void> {
    if (await this.#isMade(batch, signal)) return;
    // Where it takes nothing at all, no text is at fault.
    const { vectors, count } = await this.#send(HARMLESS, signal);
    for (const { length } of vectors) this.sized(length);
    await this.#options.store.transaction(count);
    await this.#separate(batch, signal);
  }

  /** A text that the model does not take costs no other: it is looked for, and marked. */
  async #separate(batch: readonly Placed[], signal: AbortSignal): Promise<void> {
    if (batch.length === 1) return this.#save(batch, this.#options.embedder.ref);
    const half = Math.ceil(batch.length / 2);
    for (const part of [batch.slice(0, half), batch.slice(half)])
      if (!(await this.#isMade(part, signal))) await this.#separate(part, signal);
  }

  /** False where the model does not take one of them, or more. */
  async #isMade(batch: readonly Placed[], signal: AbortSignal): Promise<boolean> {
    let sent: Awaited<ReturnType<BackgroundEmbedder["embed"]>>;
    try {
      sent = await this.#send(batch.map(toldText), signal);
    } catch (error) {
      if (/^(?:bad_request|context_overflow|refused)$/u.test(toAppError(error).code)) return false;
      throw error;
    }
    const vectors = sent.vectors.map(kept);
    this.sized(sent.vectors[0]?.length ?? 0);
    await this.#save(batch, this.#key ?? "", { vectors, count: sent.count });
    for (const [index, placed] of batch.entries())
      this.#options.nearest.add(placed.seq, audiencesOf(placed), vectors[index]?.signs ?? new Uint8Array());
    return true;
  }

  async #send(texts: readonly string[], signal: AbortSignal): ReturnType<BackgroundEmbedder["embed"]> {
    const { embedder, store, database, runtime } = this.#options;
    if ((await this.#left()) < texts.length) throw new UsedUp();
    const day = dayBegan(runtime.clock.now());
    await store.transaction((tx) => tx.tables((db) => vectorWrites(db, database).sent(day, texts.length)));
    return embedder.embed(texts, signal);
  }

  /** `model` has no size where it takes none of them. */
  async #save(batch: readonly Placed[], model: string, made?: Made): Promise<void> {
    const { store, database, runtime } = this.#options;
    const rows = batch.map(({ seq, text }, index) => ({ seq, text, vector: made?.vectors[index] ?? null }));
    const at = { model, at: runtime.clock.now() };
    await store.transaction(async (tx) => {
      await made?.count(tx);
      await tx.tables((db) => vectorWrites(db, database).save(rows, at));
    });
  }
}

interface Made {
  readonly vectors: readonly KeptVector[];
  readonly count: (tx: StoreTransaction) => Promise<void>;
}

type Reads = Pick<ReturnType<typeof vectorReads>, "after">;

async function* pages(from: number, reads: Reads, signal: AbortSignal): AsyncGenerator<readonly Placed[]> {
  for (let last = from; ; ) {
    signal.throwIfAborted();
    const page = await reads.after(last, PAGE);
    if (page.length === 0) return;
    yield page;
    last = page.at(-1)?.seq ?? last;
  }
}

/** Who said it is part of what it means. */
function toldText({ authorName, text }: Placed): string {
  return `${authorName}: ${text}`;
}

function audiencesOf({ thread, ...placed }: Omit<Placed, "model" | "signs">): IndexWord[] {
  return audienceWords({ ...placed, workspace: workspaceOf(threadIn(thread)) });
}
