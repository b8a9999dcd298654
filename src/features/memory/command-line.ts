import { z } from "zod";
import { type AppError, toAppError } from "../../core/protocol/errors.ts";
import { reasonOf } from "../../core/protocol/explain.ts";
import type { Runtime } from "../../core/protocol/runtime.ts";
import type { Store } from "../../core/store/store.ts";
import { scopeWord } from "./audience.ts";
import { createLineReader, linesOf, problemOf, scopeSchema } from "./import-line.ts";
import type { MeaningWork } from "./meaning/meaning.ts";
import { indexed } from "./memories.ts";
import { exportedLine } from "./memory.ts";
import { find, type Hit } from "./search/find.ts";
import type { Database } from "./search/full-text.ts";
import { fullText, settle } from "./search/store.ts";
import { addMany, type Indexed, memoryReads } from "./store.ts";

export interface LineWorld {
  readonly store: Store;
  readonly database: Database;
  readonly runtime: Runtime;
  readonly out: (line: string) => void;
  /** Null where words are all that memories are found by. */
  readonly meaning: MeaningWork | null;
}

const questionSchema = z.object({ id: z.union([z.string(), z.number()]), query: z.string(), scope: scopeSchema });

/** Memories that one transaction writes. */
const BATCH = 500;
/** Questions whose vectors are asked for at once. */
const QUESTIONS = 64;
/** How often vectors are tried for while none is made, and how long between. Milliseconds. */
const MOST_TRIES = 4;
const RETRY_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** What another try may mend. */
const MAY_PASS = /^(?:rate_limited|overloaded|stalled|network|provider_failed)$/u;
const NEVER = AbortSignal.any([]);
/** Refused lines that are named. */
const MOST_NAMED = 10;

/**
 * Takes a file of JSON lines in. A line that cannot be kept is named, and costs no other. Whether there was anything to keep
 * of it, or nothing in it.
 */
export async function importFile(file: string, { store, database, runtime, out }: LineWorld): Promise<boolean> {
  const read = createLineReader(runtime.clock);
  const refused: string[] = [];
  let waiting: Indexed[] = [];
  let kept = 0;
  const write = async () => {
    const batch = waiting;
    waiting = [];
    const given = { all: batch, at: runtime.clock.now() };
    await store.transaction((tx) => tx.tables((db) => addMany(db, database, given)));
    kept += batch.length;
  };
  for await (const { number, value } of linesOf(file)) {
    const told = read(value);
    if (typeof told === "string") refused.push(`line ${number}: ${told}`);
    else waiting.push(indexed(told));
    if (waiting.length >= BATCH) await write();
  }
  await write();
  await store.transaction((tx) => tx.tables((db) => settle(db, database)));
  for (const line of refused.slice(0, MOST_NAMED)) out(`⚠ ${line}`);
  if (refused.length > MOST_NAMED) out(`⚠ and ${refused.length - MOST_NAMED} more lines`);
  const isGood = kept > 0 || refused.length === 0;
  out(`${isGood ? "✓" : "✗"} ${kept} memories imported, ${refused.length} lines refused`);
  return isGood;
}

/** Makes the vectors that are missing; what cannot be made now, a running bot makes later. */
export async function makeVectors({ meaning, runtime, out }: LineWorld): Promise<void> {
  if (meaning === null) return;
  const all = await meaning.missing();
  const failure = await finished(meaning, runtime.clock);
  const missing = await meaning.missing();
  const made = `${all - missing} memories have vectors now`;
  if (missing === 0) return out(`✓ ${all} memories have vectors`);
  const why = failure === null ? "`memory.embeddings.perDay` or a budget of the day is reached" : reasonOf(failure);
  out(`⚠ ${missing} memories wait for their vectors: ${why} (${made})`);
}

/** As long as vectors come, it goes on. Null, or why none came in the end. */
async function finished(meaning: MeaningWork, clock: Runtime["clock"]): Promise<AppError | null> {
  for (let tries = 1, before = Infinity; ; tries += 1) {
    try {
      await meaning.finish(NEVER);
      return null;
    } catch (error) {
      const failure = toAppError(error);
      const missing = await meaning.missing();
      if (missing < before) tries = 1;
      if (tries >= MOST_TRIES || !MAY_PASS.test(failure.code)) return failure;
      before = missing;
      await clock.sleep(Math.min(failure.retryAfterMs ?? RETRY_MS * 2 ** tries, LONGEST_WAIT_MS), NEVER);
    }
  }
}

/** All of a scope, or all there is, as lines that can be imported. */
export async function exportAll(scope: string | null, { store, out }: LineWorld): Promise<void> {
  const reads = store.tables(memoryReads);
  let last = 0;
  for (;;) {
    const some = await reads.after(last, BATCH, scope ?? undefined);
    if (some.length === 0) return;
    for (const memory of some) out(JSON.stringify(exportedLine(memory)));
    last = some.at(-1)?.seq ?? last;
  }
}

/** How many memories there are of each kind. */
export async function tellStats({ store, out }: LineWorld): Promise<void> {
  const kinds = await store.tables(memoryReads).kinds();
  const total = kinds.reduce((sum, { count }) => sum + count, 0);
  out([`${total} memories`, ...kinds.map(({ kind, count }) => `${count} ${kind}`)].join(" · "));
}

interface Asked {
  readonly query: string;
  readonly scope: string;
  readonly limit: number;
}

export async function searchOne(asked: Asked & { readonly json: boolean }, world: LineWorld): Promise<void> {
  const hits = await search(asked, world);
  for (const hit of hits) world.out(asked.json ? JSON.stringify(resultOf(hit)) : plainHit(hit));
  if (hits.length === 0 && !asked.json) world.out("Nothing of that is remembered there.");
}

/** One line of results for each line of questions, in their order. */
export async function searchBatch({ file, limit }: { file: string; limit: number }, world: LineWorld): Promise<void> {
  for await (const lines of someOf(linesOf(file))) {
    const read = lines.map(({ number, value }) => ({ number, question: questionSchema.safeParse(value) }));
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
  { store, database, runtime, meaning }: LineWorld,
): Promise<Hit[]> {
  const text = store.tables((db) => fullText(db, database));
  const readers = [scopeWord(scope, "people"), scopeWord(scope, "outside")];
  await meaning?.hold(NEVER);
  return find({ query, readers, limit }, { text, meaning: meaning ?? undefined, now: runtime.clock.now() });
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
