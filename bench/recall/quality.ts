import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { BackgroundEmbedder } from "../../src/core/budget/background-embedder.ts";
import { openStore, type Store } from "../../src/core/store/store.ts";
import { scopeWord } from "../../src/features/memory/audience.ts";
import { createMeaning, type MeaningWork } from "../../src/features/memory/meaning/meaning.ts";
import { indexed } from "../../src/features/memory/memories.ts";
import { find } from "../../src/features/memory/search/find.ts";
import { fullText } from "../../src/features/memory/search/store.ts";
import { addMany, memoryReads, memoryWrites } from "../../src/features/memory/store.ts";
import { systemRuntime } from "../../src/runtime.ts";
import type { Figure } from "../measure.ts";
import { type Asked, type Corpus, madeCorpus, type Statement } from "./corpus.ts";
import { meaningOf } from "./meanings.ts";
import { randomFrom } from "./random.ts";

const RUNS = 3;
const SCOPE = "channel:slack:C1";
const LATER_MS = 30 * 86_400_000;
const FIRST = [5, 10] as const;

/** Simulated models, with the share of words that each does not know. */
const MODELS = [
  ["embeddings", 0.1],
  ["a weak model's", 0.6],
  ["those of a model that knows nothing", 1],
] as const;

type Answers = (query: string) => Promise<readonly string[]>;

/**
 * Measures the share of the evidence of 300 questions in the first 5 and 10 results, today and in thirty days, compared
 * with plain BM25 with Porter stems.
 */
export async function benchRecall(): Promise<readonly Figure[]> {
  const figures = new Map<string, { readonly aim: Figure["aim"]; readonly samples: number[] }>();
  const note = (name: string, value: number, aim: Figure["aim"] = null) => {
    const figure = figures.get(name) ?? { aim, samples: [] };
    figure.samples.push(value);
    figures.set(name, figure);
  };
  for (let run = 0; run < RUNS; run++) {
    const seed = Number(process.env["BENCH_SEED"] ?? Date.now()) + run;
    process.stderr.write(`  seed ${seed}\n`);
    await measure(madeCorpus(randomFrom(seed)), note);
  }
  return [...figures].map(([name, figure]) => ({ name, unit: "%", ...figure }));
}

async function measure(
  corpus: Corpus,
  note: (name: string, value: number, aim?: Figure["aim"]) => void,
): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-bench-"));
  const store = await openStore(`file:${path.join(directory, "recall.db")}`, systemRuntime());
  try {
    const now = Date.now();
    await fill(store, corpus.statements, now);
    const bm25 = await answered(corpus.questions, plainBm25(corpus.statements));
    const today = await answered(corpus.questions, recallAt(store, now));
    const later = await answered(corpus.questions, recallAt(store, now + LATER_MS));
    const meant = new Map<string, readonly Answered[]>();
    for (const [model, ignorance] of MODELS) {
      const meaning = await meaningBy(store, ignorance);
      meant.set(model, await answered(corpus.questions, recallAt(store, now, meaning)));
    }
    const known = meant.get("embeddings") ?? [];
    for (const first of FIRST) {
      note(`evidence in the first ${first}: BM25 with Porter stems`, shareIn(bm25, first));
      note(`evidence in the first ${first}: recall`, shareIn(today, first));
      note(`evidence in the first ${first}: recall, 30 days later`, shareIn(later, first));
      for (const [model, answers] of meant)
        note(`evidence in the first ${first}: with ${model}`, shareIn(answers, first));
      const missed = (of: readonly Answered[]) =>
        bm25.flatMap(({ at }, index) => (at < first ? [] : [of[index]?.at ?? Infinity]));
      const had = (of: readonly Answered[]) => percent(missed(of).filter((at) => at < first).length, missed(of).length);
      note(`what BM25 misses in the first ${first} and recall has`, had(today), { least: 25 });
      note(`what BM25 misses in the first ${first} and recall has with embeddings`, had(known), { least: had(today) });
    }
    for (const kind of new Set(corpus.questions.map((asked) => asked.kind))) {
      const of = (all: readonly Answered[]) =>
        shareIn(
          all.filter(({ asked }) => asked.kind === kind),
          5,
        );
      note(`  ${kind}, first 5: BM25`, of(bm25));
      note(`  ${kind}, first 5: recall`, of(today));
      note(`  ${kind}, first 5: recall with embeddings`, of(known));
    }
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function fill(store: Store, statements: readonly Statement[], now: number): Promise<void> {
  const positions = new Map<string, number>();
  const all = statements.map(({ id, text, author, at, thread }) => {
    const position = (positions.get(thread) ?? 0) + 1;
    positions.set(thread, position);
    return indexed({
      id,
      text,
      kind: "semantic",
      scope: SCOPE,
      isPrivate: true,
      origin: "people",
      author: { id: author, name: author },
      channelKey: "slack:C1",
      workspace: "",
      thread: null,
      source: thread,
      position,
      said: at.toISOString(),
    });
  });
  await store.transaction((tx) => tx.tables((db) => addMany(db, "sqlite", { all, at: now })));
  const rows = await store.tables(memoryReads).after(0, all.length);
  for (const { id, endedBy } of statements) {
    const seq = rows.find((row) => row.id === id)?.seq;
    if (endedBy !== undefined && seq !== undefined)
      await store.transaction((tx) => tx.tables(memoryWrites).end(seq, endedBy, now));
  }
}

/** Meaning-based recall by a model of the corpus's words, with vectors of everything in the store. */
async function meaningBy(store: Store, ignorance: number): Promise<MeaningWork> {
  const model = { dimensions: 256, ignorance };
  const vectorsOf = (texts: readonly string[]) => texts.map((text) => Float32Array.from(meaningOf(text, model)));
  const nothing = () => Promise.resolve();
  const embedder: BackgroundEmbedder = {
    ref: `bench/${ignorance}`,
    embed: (texts) => Promise.resolve({ vectors: vectorsOf(texts), count: nothing }),
    ask: (texts) => Promise.resolve(vectorsOf(texts)),
    settle: nothing,
  };
  const log = { info: () => undefined, warn: () => undefined };
  const given = { store, runtime: systemRuntime(), log, database: "sqlite", perDay: Infinity } as const;
  const meaning = createMeaning({ ...given, embedder });
  await meaning.finish(AbortSignal.any([]));
  return meaning;
}

function recallAt(store: Store, now: number, meaning?: MeaningWork): Answers {
  const text = store.tables((db) => fullText(db, "sqlite"));
  return async (query) => {
    const hits = await find({ query, readers: [scopeWord(SCOPE, "people")], limit: 10 }, { text, meaning, now });
    return hits.map(({ memory }) => memory.id);
  };
}

/** Plain full-text search of SQLite: each word of the question, Porter's stems, lines as `Name: text`. */
function plainBm25(statements: readonly Statement[]): Answers {
  const database = new BetterSqlite3(":memory:");
  database.exec("CREATE VIRTUAL TABLE lines USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')");
  const insert = database.prepare("INSERT INTO lines VALUES (?, ?)");
  for (const { id, author, text } of statements) insert.run(id, `${author}: ${text}`);
  const select = database.prepare<[string], { id: string }>(
    "SELECT id FROM lines WHERE lines MATCH ? ORDER BY rank LIMIT 10",
  );
  return (query) => {
    const words = (query.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `"${word}"`);
    return Promise.resolve(select.all(words.join(" OR ")).map(({ id }) => id));
  };
}

interface Answered {
  readonly asked: Asked;
  /** Rank of the evidence, from 0; Infinity if it is missing. */
  readonly at: number;
}

async function answered(questions: readonly Asked[], answers: Answers): Promise<Answered[]> {
  const all: Answered[] = [];
  for (const asked of questions) {
    const at = (await answers(asked.query)).indexOf(asked.evidence);
    all.push({ asked, at: at < 0 ? Infinity : at });
  }
  return all;
}

function shareIn(all: readonly Answered[], first: number): number {
  return percent(all.filter(({ at }) => at < first).length, all.length);
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : (100 * part) / whole;
}
