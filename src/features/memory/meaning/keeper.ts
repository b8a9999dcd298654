import type { BackgroundEmbedder } from "../../../core/budget/background-embedder.ts";
import { startOfDay } from "../../../core/budget/limits.ts";
import { BudgetStop } from "../../../core/budget/run-budget.ts";
import { toAppError } from "../../../core/protocol/errors.ts";
import type { StoreTransaction } from "../../../core/store/store.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { audienceWords, workspaceOf } from "../audience.ts";
import type { IndexWord } from "../search/words.ts";
import { threadIn } from "../store.ts";
import type { Nearest } from "./nearest.ts";
import { type VectorRow, vectorReads, vectorWrites } from "./store.ts";
import { type QuantizedVector, quantize, signBytes } from "./vectors.ts";

export interface KeeperOptions extends Pick<FeatureHost, "store" | "runtime" | "database"> {
  readonly log: Pick<FeatureHost["log"], "info" | "warn">;
  readonly embedder: BackgroundEmbedder;
  readonly nearest: Nearest;
  /** Maximum number of texts sent per day. */
  readonly perDay: number;
}

/** Memories read at once, and texts sent per request; every provider takes this many. */
const PAGE = 500;
const BATCH = 64;
/** A text that every model accepts. */
const HARMLESS = ["memory"];

/** The day's limit of texts is reached. */
class UsedUp extends Error {}

/** Keeps a vector of the configured model for each memory, and all vectors in memory. */
export class VectorKeeper {
  readonly #options: KeeperOptions;
  readonly #reads: ReturnType<typeof vectorReads>;
  /** The model and the size of its vectors; null until the size is known. */
  #key: string | null = null;
  #isHeld = false;
  /** All memories up to this number have vectors. */
  #doneTo = 0;
  /** The lowest number of a memory that has changed since. */
  #changedFrom = Infinity;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#reads = options.store.tables((db) => vectorReads(db, options.database));
  }

  /** Sets the number of dimensions. Stored vectors of another size are made again. */
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

  /** Called when the text of an existing memory has changed. */
  changed(seq: number): void {
    this.#options.nearest.remove(seq);
    this.#changedFrom = Math.min(this.#changedFrom, seq);
  }

  /** Loads what another process has made since, from the first memory without a vector on. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.hold(signal);
    this.#goBack();
    await this.#holdAfter(this.#doneTo, signal);
  }

  /** Starts over if any memory lacks a vector, since it may have changed without a notice. */
  async lookAgain(): Promise<void> {
    if ((await this.missing()) > 0) this.#changedFrom = 0;
  }

  /** Number of memories without a vector. */
  missing(): Promise<number> {
    const { ref } = this.#options.embedder;
    return this.#reads.without(this.#key === null ? [ref] : [ref, this.#key]);
  }

  /** Loads the existing vectors, the first time it is called. */
  async hold(signal: AbortSignal): Promise<void> {
    const size = this.#key === null ? await this.#reads.newestSize(this.#options.embedder.ref) : null;
    if (size !== null) this.sized(size);
    if (this.#isHeld || this.#key === null) return;
    await this.#holdAfter(0, signal);
    this.#isHeld = true;
  }

  /** Goes back to the first changed memory. */
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
   * Makes all missing vectors; the database says which, so that a crash loses none. False if the day's limit or a
   * budget is reached. Rejects if the provider or the database fails; the next pass continues from there.
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
      // The size has changed, so the vectors skipped as existing must be made again.
      if (before !== null && this.#key !== before) return this.#passOver(signal);
      this.#doneTo = page.at(-1)?.seq ?? this.#doneTo;
    }
  }

  /** Whether a memory has its vector, or the model refuses its text. */
  #isDone({ model }: VectorRow): boolean {
    return model !== null && (model === this.#key || model === this.#options.embedder.ref);
  }

  #hold({ model, ...placed }: VectorRow): void {
    const { nearest } = this.#options;
    if (model === this.#key && !nearest.has(placed.seq)) nearest.add(placed.seq, audiencesOf(placed), placed.signs);
  }

  async #makeAll(pending: readonly VectorRow[], signal: AbortSignal): Promise<void> {
    for (let from = 0; from < pending.length; ) {
      const batch = pending.slice(from, from + Math.min(await this.#left(), BATCH));
      await this.#make(batch, signal);
      from += batch.length;
    }
  }

  /** Number of texts that may still be sent today; throws if none. */
  async #left(): Promise<number> {
    const { runtime, perDay } = this.#options;
    const left = perDay - (await this.#reads.sentOn(startOfDay(runtime.clock.now())));
    if (left <= 0) throw new UsedUp();
    return left;
  }

  async #make(batch: readonly VectorRow[], signal: AbortSignal): Promise<void> {
    if (await this.#isMade(batch, signal)) return;
    // If the model rejects even this text, the failure is not due to the texts.
    const { vectors, count } = await this.#send(HARMLESS, signal);
    for (const { length } of vectors) this.sized(length);
    await this.#options.store.transaction(count);
    await this.#separate(batch, signal);
  }

  /** Finds the texts that the model refuses by halving the batch, and marks them, so that the others get vectors. */
  async #separate(batch: readonly VectorRow[], signal: AbortSignal): Promise<void> {
    if (batch.length === 1) return this.#save(batch, this.#options.embedder.ref);
    const half = Math.ceil(batch.length / 2);
    for (const part of [batch.slice(0, half), batch.slice(half)])
      if (!(await this.#isMade(part, signal))) await this.#separate(part, signal);
  }

  /** False if the model refuses one or more of the texts. */
  async #isMade(batch: readonly VectorRow[], signal: AbortSignal): Promise<boolean> {
    let sent: Awaited<ReturnType<BackgroundEmbedder["embed"]>>;
    try {
      sent = await this.#send(batch.map(embeddingText), signal);
    } catch (error) {
      if (/^(?:bad_request|context_overflow|refused)$/u.test(toAppError(error).code)) return false;
      throw error;
    }
    const vectors = sent.vectors.map(quantize);
    this.sized(sent.vectors[0]?.length ?? 0);
    await this.#save(batch, this.#key ?? "", { vectors, count: sent.count });
    for (const [index, placed] of batch.entries())
      this.#options.nearest.add(placed.seq, audiencesOf(placed), vectors[index]?.signs ?? new Uint8Array());
    return true;
  }

  async #send(texts: readonly string[], signal: AbortSignal): ReturnType<BackgroundEmbedder["embed"]> {
    const { embedder, store, database, runtime } = this.#options;
    if ((await this.#left()) < texts.length) throw new UsedUp();
    const day = startOfDay(runtime.clock.now());
    await store.transaction((tx) => tx.tables((db) => vectorWrites(db, database).sent(day, texts.length)));
    return embedder.embed(texts, signal);
  }

  /** A `model` without a size marks texts that the model refuses. */
  async #save(batch: readonly VectorRow[], model: string, made?: Made): Promise<void> {
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
  readonly vectors: readonly QuantizedVector[];
  readonly count: (tx: StoreTransaction) => Promise<void>;
}

type Reads = Pick<ReturnType<typeof vectorReads>, "after">;

async function* pages(from: number, reads: Reads, signal: AbortSignal): AsyncGenerator<readonly VectorRow[]> {
  for (let last = from; ; ) {
    signal.throwIfAborted();
    const page = await reads.after(last, PAGE);
    if (page.length === 0) return;
    yield page;
    last = page.at(-1)?.seq ?? last;
  }
}

/** The text to embed, with its author, which is part of its meaning. */
function embeddingText({ authorName, text }: VectorRow): string {
  return `${authorName}: ${text}`;
}

function audiencesOf({ thread, ...placed }: Omit<VectorRow, "model" | "signs">): IndexWord[] {
  return audienceWords({ ...placed, workspace: workspaceOf(threadIn(thread)) });
}
