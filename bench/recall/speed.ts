import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { openStore } from "../../src/core/store/store.ts";
import { readerWords } from "../../src/features/memory/audience.ts";
import { importFile } from "../../src/features/memory/command-line.ts";
import { find } from "../../src/features/memory/search/find.ts";
import type { Database } from "../../src/features/memory/search/full-text.ts";
import { fullText } from "../../src/features/memory/search/store.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { startPostgres } from "../../test/support/database/postgres.ts";
import type { Figure } from "../measure.ts";
import { type Random, randomFrom } from "./random.ts";

const MEMORIES = 100_000;
const SEARCHES = 1_500;
/** Number of recalls until the process has grown to the size that its garbage needs. */
const WARM_UP = 600;
const WORDS = 8_000;
const MB = 1_000_000;

/** Measures a hundred thousand memories of one channel: import, size, and a run's recall, on both databases. */
export async function benchMemories(): Promise<readonly Figure[]> {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-bench-"));
  const random = randomFrom(17);
  const words = vocabulary(random);
  const file = path.join(directory, "memories.jsonl");
  writeFileSync(file, Array.from({ length: MEMORIES }, (_, index) => lineOf(index, words, random)).join("\n"));
  const postgres = await startPostgres();
  try {
    const sqlite = path.join(directory, "memories.db");
    const url = await postgres.createDatabase();
    return [
      ...(await measure(
        { database: "sqlite", url: `file:${sqlite}`, sizeOf: () => Promise.resolve(statSync(sqlite).size) },
        { file, words },
      )),
      ...(await measure({ database: "postgresql", url, sizeOf: () => sizeOf(url) }, { file, words })),
    ];
  } finally {
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Place {
  readonly database: Database;
  readonly url: string;
  readonly sizeOf: () => Promise<number>;
}

async function measure(
  { database, url, sizeOf: size }: Place,
  { file, words }: { readonly file: string; readonly words: readonly string[] },
): Promise<Figure[]> {
  const runtime = systemRuntime();
  const store = await openStore(url, runtime);
  const began = performance.now();
  await importFile(file, { store, database, runtime, meaning: null, out: () => undefined });
  const seconds = (performance.now() - began) / 1_000;
  const text = store.tables((db) => fullText(db, database));
  const reader = { channelKey: "slack:C1", workspace: "slack:T1", personId: "slack:U1" };
  const readers = readerWords(reader, ["people"]);
  const random = randomFrom(99);
  const search = async () => {
    const query = Array.from({ length: 3 + random.below(6) }, () => wordOf(words, random)).join(" ");
    const started = performance.now();
    await find({ query, readers, limit: 5 }, { text, now: runtime.clock.now() });
    return performance.now() - started;
  };
  for (let warm = 0; warm < WARM_UP; warm++) await search();
  const before = process.memoryUsage.rss();
  const times: number[] = [];
  for (let count = 0; count < SEARCHES; count++) times.push(await search());
  const grown = (process.memoryUsage.rss() - before) / MB;
  const bytes = await size();
  await store.close();
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  const figures: readonly (Omit<Figure, "samples"> & { readonly value: number })[] = [
    { name: "import", unit: "/s", aim: null, value: MEMORIES / seconds },
    { name: "on disk", unit: "MB", aim: null, value: bytes / MB },
    { name: "recall, p50", unit: "ms", aim: null, value: at(0.5) },
    { name: "recall, p95", unit: "ms", aim: 15, value: at(0.95) },
    { name: `memory of the process over ${SEARCHES} recalls`, unit: "MB", aim: 50, value: grown },
  ];
  return figures.map(({ name, unit, aim, value }) => ({
    name: `${database}, ${MEMORIES} memories: ${name}`,
    unit,
    aim,
    samples: [value],
  }));
}

async function sizeOf(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ size: string }>("SELECT pg_database_size(current_database()) AS size");
  await client.end();
  return Number(rows[0]?.size ?? 0);
}

function vocabulary(random: Random): string[] {
  return Array.from({ length: WORDS }, () => random.name().toLowerCase());
}

/** Picks a word: few are frequent and most are rare, as in any language. */
function wordOf(words: readonly string[], random: Random): string {
  return words[Math.floor(words.length ** (random.below(10_000) / 10_000)) - 1] ?? "";
}

function lineOf(index: number, words: readonly string[], random: Random): string {
  const text = Array.from({ length: 8 + random.below(20) }, () => wordOf(words, random)).join(" ");
  const at = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
  const source = `thread-${Math.floor(index / 30)}`;
  return JSON.stringify({
    id: `m${index}`,
    text,
    scope: "channel:slack:C1",
    author: `slack:U${index % 40}`,
    at,
    source,
  });
}
