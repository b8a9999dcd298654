import { afterEach, beforeEach } from "vitest";
import { createBackgroundEmbedders } from "../../../src/core/budget/background-embedder.ts";
import type { BudgetSettings } from "../../../src/core/budget/limits.ts";
import type { Embedder } from "../../../src/core/providers/provider.ts";
import { embeddersOf } from "../../../src/core/providers/registry/embedder.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { scopeWord } from "../../../src/features/memory/audience.ts";
import { createMeaning, type MeaningWork } from "../../../src/features/memory/meaning/meaning.ts";
import { indexed } from "../../../src/features/memory/memories.ts";
import type { NewMemory } from "../../../src/features/memory/memory.ts";
import { find } from "../../../src/features/memory/search/find.ts";
import type { Database } from "../../../src/features/memory/search/full-text.ts";
import { fullText } from "../../../src/features/memory/search/store.ts";
import { addMany, memoryWrites } from "../../../src/features/memory/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { given } from "../../contracts/memories.ts";
import { type EmbeddingsServer, startEmbeddings } from "../../support/model/embeddings-server.ts";

export const CHANNEL = "channel:slack:C1";
export const NEVER = AbortSignal.any([]);
/** What a million tokens of `openai/small` cost. */
export const USD_PER_MILLION = 3;

interface Opened {
  readonly perDay?: number;
  readonly model?: string;
  readonly queryMs?: number;
  readonly budgets?: BudgetSettings;
  /** What happens between a request and what comes of it. */
  readonly during?: () => Promise<void>;
}

interface Opening {
  readonly store: Store;
  readonly url: string;
  readonly database: Database;
  readonly warn: (...told: readonly unknown[]) => void;
}

async function openMeaning({ store, url, database, warn }: Opening, how: Opened): Promise<MeaningWork> {
  const { perDay = 1_000, model = "openai/small", queryMs = 10_000, during, budgets = {} } = how;
  const runtime = systemRuntime();
  const models = { small: { price: { input: USD_PER_MILLION, output: 0 } } };
  const real = await embeddersOf({ openai: { apiKey: "sk-test", baseUrl: url, models } }, runtime)(model);
  const slow: Embedder = {
    ...real,
    async embed(texts, signal) {
      const embedded = await real.embed(texts, signal);
      await during?.();
      return embedded;
    },
  };
  const counted = { store, runtime, settings: budgets };
  const embedder = await createBackgroundEmbedders(() => Promise.resolve(slow), counted)(model, "memory");
  return createMeaning({ store, runtime, log: { info: () => undefined, warn }, database, embedder, perDay }, queryMs);
}

/** For each test around an empty database, and a server that makes vectors. */
export function useMeanings(database: Database, emptied: () => Promise<Store>) {
  let store: Store;
  let server: EmbeddingsServer;
  const runtime = systemRuntime();
  /** What was logged as a warning. */
  const warned: (readonly unknown[])[] = [];
  beforeEach(async () => {
    store = await emptied();
    server = await startEmbeddings();
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
  });
  return {
    warned,
    get store() {
      return store;
    },
    get server() {
      return server;
    },
    /** Another server takes its place. */
    async another(...model: Parameters<typeof startEmbeddings>): Promise<void> {
      await server[Symbol.asyncDispose]();
      server = await startEmbeddings(...model);
    },
    open: (how: Opened = {}): Promise<MeaningWork> =>
      openMeaning({ store, url: server.url, database, warn: (...told) => void warned.push(told) }, how),
    add: (all: readonly Partial<NewMemory>[]) =>
      store.transaction((tx) =>
        tx.tables((db) =>
          addMany(db, database, {
            all: all.map((one, index) => indexed({ ...given, id: `mem_${index}`, ...one })),
            at: runtime.clock.now(),
          }),
        ),
      ),
    write: <T>(work: (writes: ReturnType<typeof memoryWrites>) => Promise<T>) =>
      store.transaction((tx) => work(tx.tables(memoryWrites))),
    search: async (query: string, meaning?: MeaningWork, scope = CHANNEL): Promise<string[]> => {
      const text = store.tables((db) => fullText(db, database));
      const readers = [scopeWord(scope, "people")];
      const hits = await find({ query, readers, limit: 5 }, { text, meaning, now: runtime.clock.now() });
      return hits.map(({ memory }) => memory.text);
    },
    /** The model of each vector, and how many bytes it has. */
    sizes: async (): Promise<unknown[]> => {
      const rows = await store.tables((db) => db.memoryVector.findMany({ orderBy: { seq: "asc" } }));
      return rows.map(({ model, bytes }) => [model, bytes.length]);
    },
  };
}
