import { z } from "zod";
import type { StoreWorld, SubcommandWorld } from "../../cli/subcommand.ts";
import { PARSE_OPTIONS } from "../../config/problems.ts";
import type { Config } from "../../config/resolve.ts";
import { createBackgroundEmbedders } from "../../core/budget/background-embedder.ts";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { type AppError, toAppError } from "../../core/protocol/errors.ts";
import { reasonOf } from "../../core/protocol/explain.ts";
import type { Runtime } from "../../core/protocol/runtime.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import { embeddersOf } from "../../core/providers/registry/embedder.ts";
import { counted } from "../../core/text/counted.ts";
import { scopeWord } from "./audience.ts";
import { embeddingsIn } from "./feature.ts";
import { createLineReader, linesOf, problemOf, scopeSchema } from "./import-line.ts";
import type { MeaningWork } from "./meaning/meaning.ts";
import { indexed } from "./memories.ts";
import { exportedLine, type Memory, ORIGINS } from "./memory.ts";
import { find, type Hit } from "./search/find.ts";
import { indexMissing } from "./search/reindex.ts";
import { fullText, optimizeIndex } from "./search/store.ts";
import { addMany, type Indexed, memoryReads } from "./store.ts";

export type MemoryRequest =
  | { readonly type: "import"; readonly file: string }
  | { readonly type: "export"; readonly scope: string | null }
  | { readonly type: "stats" }
  | { readonly type: "batch"; readonly file: string; readonly limit: number }
  | ({ readonly type: "search"; readonly json: boolean } & Asked);

export interface CommandLineScope extends Pick<StoreWorld, "store" | "database" | "runtime"> {
  readonly out: (line: string) => void;
  /** Null if memories are found by words alone. */
  readonly meaning: MeaningWork | null;
}

const questionSchema = z.object({ id: z.union([z.string(), z.number()]), query: z.string(), scope: scopeSchema });

/** Memories written per transaction. */
const BATCH = 500;
/** Questions whose vectors are requested at once. */
const QUESTIONS = 64;
/** Maximum number of tries in a row without a vector, and the first and longest pause between them, in milliseconds. */
const MAX_TRIES = 4;
const RETRY_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Error codes that a retry may overcome. */
const MAY_PASS = /^(?:rate_limited|overloaded|stalled|network|provider_failed)$/u;
const NEVER = AbortSignal.any([]);
/** Maximum number of refused lines that are listed. */
const MAX_NAMED = 10;

/** Time limit for a question's vector, in milliseconds. Longer than for a run, since no conversation waits. */
const QUERY_MS = 30_000;

export function runMemory(request: MemoryRequest, { terminal, answer, ...on }: SubcommandWorld): Promise<void> {
  const work = request.type === "import" ? on.onStore : on.onExistingStore;
  return work(async (world) => {
    const { config } = await world.settings();
    // Indexes what an older version wrote, so that it is found, too.
    if (request.type !== "import") await indexMissing(world.store, NEVER);
    const { settings } = await world.providers(config);
    const meaning = await meaningFor({ ...config, providers: settings }, world, terminal);
    const line = { ...world, meaning, out: (text: string) => terminal.out(text) };
    try {
      if ((await runRequest(request, line)) === false) answer({ ok: false, lines: [] });
    } catch (error) {
      answer({ ok: false, lines: unreadable(error, request) });
    }
    await meaning?.settle();
  });
}

/** False if the request failed. */
async function runRequest(request: MemoryRequest, world: CommandLineScope): Promise<boolean | void> {
  switch (request.type) {
    case "import": {
      const isGood = await importFile(request.file, world);
      await makeVectors(world);
      return isGood;
    }
    case "export":
      return exportAll(request.scope, world);
    case "stats":
      return tellStats(world);
    case "batch":
      return searchBatch(request, world);
    case "search":
      return searchOne(request, world);
    default:
      return assertNever(request);
  }
}

/** Null if no embeddings are set, or if their provider cannot be used, which is then reported. */
async function meaningFor(
  { features, providers, budgets }: Config,
  world: StoreWorld,
  terminal: SubcommandWorld["terminal"],
): Promise<CommandLineScope["meaning"]> {
  const embeddings = embeddingsIn(features);
  if (embeddings === null) return null;
  try {
    const { createMeaning } = await import("./meaning/meaning.ts");
    const counted = { ...world, settings: budgets };
    const createEmbedder = createBackgroundEmbedders(embeddersOf(providers, world.runtime), counted);
    const embedder = await createEmbedder(embeddings.model, "memory-import");
    const warn = () => terminal.error("⚠ The memory.embeddings model does not respond: the search is by words only.");
    const log = { info: () => undefined, warn };
    return createMeaning({ ...world, log, embedder, perDay: embeddings.perDay }, QUERY_MS);
  } catch (error) {
    terminal.error(`⚠ memory.embeddings: ${reasonOf(toAppError(error))}`);
    return null;
  }
}

/** The message about a file that cannot be read; rethrows any other error. */
function unreadable(error: unknown, request: MemoryRequest): readonly string[] {
  const code = systemCode(error) ?? "";
  if (!("file" in request) || !/^(?:ENOENT|EACCES|EISDIR)$/u.test(code)) throw error;
  return [`✗ ${request.file} cannot be read (${code}).`];
}

/**
 * Imports a file of JSON lines. A line that cannot be stored is reported without affecting the others. False if all
 * lines were refused.
 */
export async function importFile(file: string, { store, database, runtime, out }: CommandLineScope): Promise<boolean> {
  const read = createLineReader(runtime.clock);
  const refused: string[] = [];
  let waiting: Indexed[] = [];
  let imported = 0;
  const write = async () => {
    const batch = waiting;
    waiting = [];
    const given = { all: batch, at: runtime.clock.now() };
    await store.transaction((tx) => tx.tables((db) => addMany(db, database, given)));
    imported += batch.length;
  };
  for await (const { number, value } of linesOf(file)) {
    const entry = read(value);
    if (typeof entry === "string") refused.push(`line ${number}: ${entry}`);
    else waiting.push(indexed(entry));
    if (waiting.length >= BATCH) await write();
  }
  await write();
  await store.transaction((tx) => tx.tables((db) => optimizeIndex(db, database)));
  for (const line of refused.slice(0, MAX_NAMED)) out(`⚠ ${line}`);
  if (refused.length > MAX_NAMED) out(`⚠ and ${refused.length - MAX_NAMED} more lines`);
  const isGood = imported > 0 || refused.length === 0;
  out(`${isGood ? "✓" : "✗"} ${memoriesOf(imported)} imported, ${counted(refused.length, "line")} refused`);
  return isGood;
}

/** Makes the missing vectors. A running bot later makes those that cannot be made now. */
async function makeVectors({ meaning, runtime, out }: CommandLineScope): Promise<void> {
  if (meaning === null) return;
  const all = await meaning.missing();
  const failure = await finished(meaning, runtime.clock);
  const missing = await meaning.missing();
  const made = `${withVectors(all - missing)} now`;
  if (missing === 0) return out(`✓ ${withVectors(all)}`);
  const why = failure === null ? "`memory.embeddings.perDay` or a daily budget has been reached" : reasonOf(failure);
  out(
    `⚠ ${memoriesOf(missing)} ${missing === 1 ? "waits for its vector" : "wait for their vectors"}: ${why} (${made})`,
  );
}

function withVectors(count: number): string {
  return `${memoriesOf(count)} ${count === 1 ? "has a vector" : "have vectors"}`;
}

function memoriesOf(count: number): string {
  return counted(count, "memory", "memories");
}

/** Makes vectors as long as there is progress. Null when done, or the error of the last try. */
async function finished(meaning: MeaningWork, clock: Runtime["clock"]): Promise<AppError | null> {
  for (let tries = 1, before = Infinity; ; tries += 1) {
    try {
      await meaning.finish(NEVER);
      return null;
    } catch (error) {
      const failure = toAppError(error);
      const missing = await meaning.missing();
      if (missing < before) tries = 1;
      if (tries >= MAX_TRIES || !MAY_PASS.test(failure.code)) return failure;
      before = missing;
      await clock.sleep(Math.min(failure.retryAfterMs ?? RETRY_MS * 2 ** tries, LONGEST_WAIT_MS), NEVER);
    }
  }
}

/** Prints the memories of a scope, or all, as lines that can be imported. */
async function exportAll(scope: string | null, { store, out }: CommandLineScope): Promise<void> {
  const reads = store.tables(memoryReads);
  const behind = (last: Memory | undefined) => reads.after(last?.seq ?? 0, BATCH, scope ?? undefined);
  for (let some = await behind(undefined); some.length > 0; some = await behind(some.at(-1))) {
    for (const memory of some) out(JSON.stringify(exportedLine(memory)));
  }
}

/** Prints how many memories there are of each kind. */
async function tellStats({ store, out }: CommandLineScope): Promise<void> {
  const kinds = await store.tables(memoryReads).kinds();
  const total = kinds.reduce((sum, { count }) => sum + count, 0);
  out([memoriesOf(total), ...kinds.map(({ kind, count }) => `${count} ${kind}`)].join(" · "));
}

interface Asked {
  readonly query: string;
  readonly scope: string;
  readonly limit: number;
}

async function searchOne(asked: Asked & { readonly json: boolean }, world: CommandLineScope): Promise<void> {
  const hits = await search(asked, world);
  for (const hit of hits) world.out(asked.json ? JSON.stringify(resultOf(hit)) : plainHit(hit));
  if (hits.length === 0 && !asked.json) world.out("No memories match.");
}

/** Prints one line of results for each line of questions, in the same order. */
async function searchBatch({ file, limit }: { file: string; limit: number }, world: CommandLineScope): Promise<void> {
  for await (const lines of someOf(linesOf(file))) {
    const read = lines.map(({ number, value }) => ({
      number,
      question: questionSchema.safeParse(value, PARSE_OPTIONS),
    }));
    await world.meaning?.prepare(read.flatMap(({ question }) => question.data?.query ?? []));
    for (const { number, question } of read) {
      if (question.success) {
        const hits = await search({ ...question.data, limit }, world);
        world.out(JSON.stringify({ id: question.data.id, results: hits.map(resultOf) }));
      } else {
        const error = `line ${number}: ${problemOf(question.error)}`;
        world.out(JSON.stringify({ id: null, error, results: [] }));
      }
    }
  }
}

async function search(
  { query, scope, limit }: Asked,
  { store, database, runtime, meaning }: CommandLineScope,
): Promise<Hit[]> {
  const text = store.tables((db) => fullText(db, database));
  const readers = ORIGINS.map((origin) => scopeWord(scope, origin));
  await meaning?.hold(NEVER);
  return find({ query, readers, limit }, { text, meaning, now: runtime.clock.now() });
}

function resultOf({ memory: { id, text, source }, score }: Hit) {
  return { id, text, score: Number(score.toFixed(6)), source };
}

function plainHit({ memory: { seq, text, author, said }, score }: Hit): string {
  return `${score.toFixed(2)}  #${seq}  ${author.name}, ${said}: ${text}`;
}

async function* someOf<T>(all: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let some: T[] = [];
  for await (const one of all) {
    some.push(one);
    if (some.length < QUESTIONS) continue;
    yield some;
    some = [];
  }
  yield some;
}
