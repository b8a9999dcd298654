import { toAppError } from "../../../core/protocol/errors.ts";
import { threadRefSchema } from "../../../core/protocol/platform.ts";
import type { Embedder } from "../../../core/providers/openai/embedder.ts";
import type { FeatureHost } from "../../../feature.ts";
import { audienceWords } from "../audience.ts";
import type { IndexWord } from "../search/words.ts";
import type { Nearest } from "./nearest.ts";
import { type Placed, vectorReads, vectorWrites } from "./store.ts";
import { kept, signBytes } from "./vectors.ts";

export interface KeeperOptions extends Pick<FeatureHost, "store" | "runtime" | "database"> {
  readonly log: Pick<FeatureHost["log"], "info" | "warn">;
  readonly embedder: Embedder;
  readonly nearest: Nearest;
  /** Texts that are sent in a day at most. */
  readonly perDay: number;
}

/** Memories that are read at once, and texts that one request sends: no provider takes fewer. */
const PAGE = 500;
const BATCH = 64;
const DAY_MS = 86_400_000;

/** Sees to it that each memory has a vector of the model that is set, and that all vectors are held. */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #reads: ReturnType<typeof vectorReads>;
  /** How the keys of the model's vectors begin, whatever their size. */
  readonly #prefix: string;
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
    this.#prefix = `${options.embedder.ref} `;
  }

  /** The model's vectors have so many dimensions; what is kept of another size is made anew. */
  sized(dimensions: number): void {
    const { embedder, log, nearest } = this.#options;
    if (this.#key === `${this.#prefix}${dimensions}`) return;
    if (this.#key !== null) log.info({ model: embedder.ref, dimensions }, "memories_embedded_anew");
    this.#key = `${this.#prefix}${dimensions}`;
    this.#isHeld = false;
    this.#doneTo = 0;
    nearest.begin(signBytes(dimensions));
  }

  /** A memory that was there says something else. */
  changed(seq: number): void {
    this.#changedFrom = Math.min(this.#changedFrom, seq);
  }

  /** How many memories have no vector yet. */
  missing(): Promise<number> {
    return this.#reads.without(this.#key ?? this.#prefix);
  }

  /** Holds the vectors that there are, the first time. */
  async hold(signal: AbortSignal): Promise<void> {
    const newest = this.#key === null ? await this.#reads.newestModel(this.#prefix) : null;
    if (newest !== null) this.sized(Number(newest.slice(this.#prefix.length)));
    if (this.#isHeld || this.#key === null) return;
    let isWhole = true;
    for await (const page of pages(0, this.#reads, signal)) {
      for (const placed of page) {
        this.#hold(placed);
        isWhole &&= placed.model === this.#key;
        if (isWhole) this.#doneTo = placed.seq;
      }
    }
    this.#isHeld = true;
  }

  /**
   * Does what there is to do: the database says what is missing, so that no crash loses any. False where the day's share
   * is used up. Rejects as the provider and the database fail, and goes on from there the next time.
   */
  async pass(signal: AbortSignal): Promise<boolean> {
    await this.hold(signal);
    this.#doneTo = Math.min(this.#doneTo, this.#changedFrom - 1);
    this.#changedFrom = Infinity;
    for await (const page of pages(this.#doneTo, this.#reads, signal)) {
      for (const placed of page) this.#hold(placed);
      const before = this.#key;
      const pending = page.filter(({ model }) => model === null || model !== before);
      if (!(await this.#makeAll(pending, signal))) return false;
      // The size is another than it was: what was passed by is to be made anew.
      if (before !== null && this.#key !== before) return this.pass(signal);
      this.#doneTo = page.at(-1)?.seq ?? this.#doneTo;
    }
    return true;
  }

  #hold({ model, ...placed }: Placed): void {
    const { nearest } = this.#options;
    if (model === this.#key && !nearest.has(placed.seq)) nearest.add(placed.seq, audiencesOf(placed), placed.signs);
  }

  async #makeAll(pending: readonly Placed[], signal: AbortSignal): Promise<boolean> {
    const { runtime, perDay } = this.#options;
    for (let from = 0; from < pending.length; ) {
      const today = Math.floor(runtime.clock.now() / DAY_MS) * DAY_MS;
      const left = perDay - (await this.#reads.madeSince(today));
      if (left <= 0) return false;
      const batch = pending.slice(from, from + Math.min(left, BATCH));
      await this.#make(batch, signal);
      from += batch.length;
    }
    return true;
  }

  async #make(batch: readonly Placed[], signal: AbortSignal): Promise<void> {
    const { embedder, store, database, runtime, nearest } = this.#options;
    const vectors = await vectorsOf(batch.map(toldText), embedder, signal);
    const size = vectors.find((vector) => vector !== null)?.length;
    if (size !== undefined) this.sized(size);
    const made = batch.map((placed, index) => {
      const vector = vectors[index] ?? null;
      return { ...placed, vector: vector === null ? null : kept(vector) };
    });
    const at = { model: this.#key ?? this.#prefix, at: runtime.clock.now() };
    await store.transaction((tx) => tx.tables((db) => vectorWrites(db, database).save(made, at)));
    for (const { vector, ...placed } of made)
      if (vector !== null) nearest.add(placed.seq, audiencesOf(placed), vector.signs);
  }
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

/** Null for a text that the model does not take, which costs no other. */
async function vectorsOf(
  texts: readonly string[],
  embedder: Embedder,
  signal: AbortSignal,
): Promise<(Float32Array | null)[]> {
  try {
    return [...(await embedder.embed(texts, signal))];
  } catch (error) {
    if (!/^(?:bad_request|context_overflow|refused)$/u.test(toAppError(error).code)) throw error;
    if (texts.length === 1) return [null];
    const half = Math.ceil(texts.length / 2);
    const first = await vectorsOf(texts.slice(0, half), embedder, signal);
    return [...first, ...(await vectorsOf(texts.slice(half), embedder, signal))];
  }
}

function audiencesOf({ thread, ...placed }: Omit<Placed, "model" | "signs">): IndexWord[] {
  const told = threadRefSchema.safeParse(thread === null ? null : JSON.parse(thread)).data;
  const workspace = told === undefined ? "" : `${told.platform}:${told.workspaceId}`;
  return audienceWords({ ...placed, workspace });
}
