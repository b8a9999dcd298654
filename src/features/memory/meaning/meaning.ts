import { BoundedMap } from "../../../core/bounded-map.ts";
import type { BackgroundEmbedder } from "../../../core/budget/background-embedder.ts";
import { toAppError } from "../../../core/protocol/errors.ts";
import { type Clock, slept } from "../../../core/protocol/runtime.ts";
import { unlessAborted } from "../../../core/unless-aborted.ts";
import type { IndexWord } from "../search/words.ts";
import { Keeper, type KeeperOptions } from "./keeper.ts";
import { createNearest, type Near } from "./nearest.ts";

/** What memories mean, beside the words that they say. */
export interface Meaning {
  /** A question as a vector; null where none is to be had at once: recall waits for nobody. */
  of(query: string): Promise<Float32Array | null>;
  nearest(vector: Float32Array, readers: readonly IndexWord[]): Near;
  /** A memory says something else. */
  changed(seq: number): void;
  /** What is near is there no more. */
  gone(seqs: readonly number[]): void;
}

export interface MeaningWork extends Meaning {
  /** Makes and holds vectors until it is aborted. It never rejects. */
  work(signal: AbortSignal): Promise<void>;
  /** Holds what another process makes, while this one makes none, until it is aborted. It never rejects. */
  follow(signal: AbortSignal): Promise<void>;
  /** Makes all that are missing. Rejects as `Keeper.pass`. */
  finish: Keeper["pass"];
  /** Holds the vectors that there are. */
  hold: Keeper["hold"];
  /** Asks for the vectors of several questions at once, which are kept for a while. */
  prepare(queries: readonly string[]): Promise<void>;
  missing: Keeper["missing"];
  /** Counts what questions have cost since. */
  settle: BackgroundEmbedder["settle"];
}

/** How long a run waits for the vector of its question. Milliseconds. */
const QUERY_MS = 300;
/** After one that came too late or not at all, how long recall does without. Milliseconds. */
const WITHOUT_MS = 30_000;
/** Questions that are kept: a run asks again what was asked before it. */
const MOST_QUERIES = 100;
const QUERY_CHARS = 2_000;
/** Memories that are looked at for what they mean. */
const MOST_NEAR = 60;
/** Least time between two looks whether something has come, and between two tries that fail. Milliseconds. */
const LOOK_MS = 2_000;
const MOST_WAIT_MS = 300_000;
const TOMORROW_MS = 600_000;
/** After so many looks it is looked whether a memory has changed of which nobody has told. */
const LOOKS_AGAIN = 30;

/** `queryMs`: how long a question's vector may take; as long as a run waits when left out. Milliseconds. */
export function createMeaning(options: Omit<KeeperOptions, "nearest">, queryMs = QUERY_MS): MeaningWork {
  const { runtime, log, embedder } = options;
  const { clock } = runtime;
  const nearest = createNearest();
  const keeper = new Keeper({ ...options, nearest });
  const known = new BoundedMap<string, Float32Array>(MOST_QUERIES);
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
    nearest: (vector, readers) => nearest.find(vector, readers, MOST_NEAR),
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
  readonly keeper: Keeper;
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
    await slept(clock, LOOK_MS, signal);
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
      waitMs = Math.min(MOST_WAIT_MS, Math.max(retryAfterMs ?? 0, LOOK_MS * 2 ** failures));
      log.warn({ err: toAppError(error), waitMs }, "memories_not_embedded");
    }
    await slept(clock, waitMs, signal);
  }
  making.isOn = false;
  await embedder.settle().catch((error: unknown) => log.warn({ err: toAppError(error) }, "questions_not_counted"));
}
