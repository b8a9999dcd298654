import { BoundedMap } from "../../../core/bounded-map.ts";
import type { BackgroundEmbedder } from "../../../core/budget/background-embedder.ts";
import { toAppError } from "../../../core/protocol/errors.ts";
import { type Clock, sleepUnlessAborted } from "../../../core/protocol/runtime.ts";
import { unlessAborted } from "../../../core/unless-aborted.ts";
import type { IndexWord } from "../search/words.ts";
import { type KeeperOptions, VectorKeeper } from "./keeper.ts";
import { createNearest, type NearestMemories } from "./nearest.ts";

/** Finds memories by meaning, beside the search for words. */
export interface Meaning {
  /** The vector of a question; null if it cannot be had quickly, since recall must not wait. */
  of(query: string): Promise<Float32Array | null>;
  nearest(vector: Float32Array, readers: readonly IndexWord[]): NearestMemories;
  /** Called when the text of a memory has changed. */
  changed(seq: number): void;
  /** Called when memories found by `nearest` turn out to be deleted. */
  gone(seqs: readonly number[]): void;
}

export interface MeaningWork extends Meaning {
  /** Makes and loads vectors until the signal aborts; never rejects. */
  work(signal: AbortSignal): Promise<void>;
  /** Loads vectors made by other processes, while this process makes none, until the signal aborts; never rejects. */
  follow(signal: AbortSignal): Promise<void>;
  /** Makes all missing vectors. Rejects like `Keeper.pass`. */
  finish: VectorKeeper["pass"];
  /** Loads the existing vectors. */
  hold: VectorKeeper["hold"];
  /** Requests the vectors of several questions at once and keeps them for a while. */
  prepare(queries: readonly string[]): Promise<void>;
  missing: VectorKeeper["missing"];
  /** Records the cost of questions since the last call. */
  settle: BackgroundEmbedder["settle"];
}

/** Maximum time that a run waits for the vector of its question, in milliseconds. */
const QUERY_MS = 300;
/** After a late or failed vector, recall works without vectors for this long. In milliseconds. */
const WITHOUT_MS = 30_000;
/** Number of question vectors kept, since a run repeats earlier questions. */
const MAX_QUERIES = 100;
const QUERY_CHARS = 2_000;
/** Maximum number of memories found by meaning. */
const MAX_NEAR = 60;
/** Time between two checks for new memories, and base of the pause after failures, in milliseconds. */
const LOOK_MS = 2_000;
const MAX_WAIT_MS = 300_000;
const TOMORROW_MS = 600_000;
/** After this many checks, looks for memories that changed without a notice. */
const LOOKS_AGAIN = 30;

/** `queryMs` is the time limit for a question's vector, in milliseconds. */
export function createMeaning(options: Omit<KeeperOptions, "nearest">, queryMs = QUERY_MS): MeaningWork {
  const { runtime, log, embedder } = options;
  const { clock } = runtime;
  const nearest = createNearest();
  const keeper = new VectorKeeper({ ...options, nearest });
  const known = new BoundedMap<string, Float32Array>(MAX_QUERIES);
  let withoutUntil = 0;
  const making: Making = { keeper, embedder, clock, log, isOn: false };

  const ask = async (texts: readonly string[]): Promise<void> => {
    if (clock.now() < withoutUntil || texts.length === 0) return;
    const late = new AbortController();
    const over = clock.after(queryMs, () => late.abort());
    try {
      const vectors = await unlessAborted(embedder.ask(texts, late.signal), late.signal);
      for (const [index, vector] of vectors.entries()) {
        keeper.sized(vector.length);
        known.set(texts[index] ?? "", vector);
      }
    } catch (error) {
      withoutUntil = clock.now() + WITHOUT_MS;
      const reason = late.signal.aborted ? { waitedMs: queryMs } : { err: toAppError(error) };
      log.warn({ ...reason, model: embedder.ref }, "recall_without_embeddings");
    } finally {
      over();
    }
  };

  return {
    async of(query) {
      const text = query.slice(0, QUERY_CHARS);
      if (!known.has(text)) await ask([text]);
      return known.get(text) ?? null;
    },
    prepare: (queries) => ask(queries.map((query) => query.slice(0, QUERY_CHARS)).filter((text) => !known.has(text))),
    nearest: (vector, readers) => nearest.find(vector, readers, MAX_NEAR),
    changed: (seq) => keeper.changed(seq),
    gone: (seqs) => seqs.forEach((seq) => nearest.remove(seq)),
    finish: (signal) => keeper.pass(signal),
    hold: (signal) => keeper.hold(signal),
    missing: () => keeper.missing(),
    settle: () => embedder.settle(),
    follow: (signal) => follow(making, signal),
    work: (signal) => make(making, signal),
  };
}

interface Making extends Pick<KeeperOptions, "embedder" | "log"> {
  readonly keeper: VectorKeeper;
  readonly clock: Pick<Clock, "sleep">;
  /** Whether this process makes vectors. */
  isOn: boolean;
}

async function follow(making: Making, signal: AbortSignal): Promise<void> {
  const { keeper, clock, log } = making;
  for (let looks = 1; !signal.aborted; looks += 1) {
    try {
      if (looks % LOOKS_AGAIN === 0) await keeper.lookAgain();
      if (!making.isOn) await keeper.follow(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: toAppError(error) }, "memories_not_followed");
    }
    await sleepUnlessAborted(clock, LOOK_MS, signal);
  }
}

async function make(making: Making, signal: AbortSignal): Promise<void> {
  const { keeper, embedder, clock, log } = making;
  making.isOn = true;
  for (let failures = 0; !signal.aborted; ) {
    let waitMs = LOOK_MS;
    try {
      const isWhole = await keeper.pass(signal);
      await embedder.settle();
      failures = 0;
      if (!isWhole) waitMs = TOMORROW_MS;
    } catch (error) {
      if (signal.aborted) break;
      const { retryAfterMs } = toAppError(error);
      failures += 1;
      waitMs = Math.min(MAX_WAIT_MS, Math.max(retryAfterMs ?? 0, LOOK_MS * 2 ** failures));
      log.warn({ err: toAppError(error), waitMs }, "memories_not_embedded");
    }
    await sleepUnlessAborted(clock, waitMs, signal);
  }
  making.isOn = false;
  await embedder.settle().catch((error: unknown) => log.warn({ err: toAppError(error) }, "questions_not_counted"));
}
