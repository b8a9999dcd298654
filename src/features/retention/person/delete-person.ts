import { randomBytes } from "node:crypto";
import type { Store } from "../../../core/store/store.ts";
import { type DeletionScope, deleteSessions, emptyLog, eraseAttached, inBatches } from "../delete-sessions.ts";
import { attachmentsIn } from "../files.ts";
import { memoryDeletion } from "../memories/store.ts";
import { deletionReads, type Mark } from "../store.ts";
import { threadDeletion } from "../threads/store.ts";
import { ID_COLUMNS, JSON_COLUMNS, personReads, personWrites, type Renamed } from "./store.ts";

/** How much there is of a person. */
export interface PersonsData {
  /** Sessions in which nobody else has said anything: they go whole. */
  readonly sessions: number;
  /** Messages of theirs where others have written, too: each is replaced by a mark. */
  readonly messages: number;
  /** By them and about them. */
  readonly memories: number;
  readonly jobs: number;
  /** Runs of theirs that go on: nothing is deleted until they have ended. */
  readonly openRuns: number;
}

interface Found extends PersonsData {
  readonly alone: readonly string[];
  /** Sessions that they share with others, and all of their sub-agents'. */
  readonly shared: readonly string[];
}

const DAY_MS = 86_400_000;

export async function findPerson(personId: string, { store }: Pick<DeletionScope, "store">): Promise<Found> {
  const reads = store.tables(personReads);
  const families = store.tables(deletionReads);
  const alone: string[] = [];
  const shared: string[] = [];
  let openRuns = 0;
  for (const root of await reads.sessionsOf(personId)) {
    const family = await families.family([root]);
    openRuns += (await families.openRuns(family)).length;
    if (await reads.isOnlyOf(personId, family)) alone.push(root);
    else shared.push(...family);
  }
  return { alone, shared, openRuns, sessions: alone.length, ...(await reads.counts(personId, shared)) };
}

/** Marks a person as somebody whose data goes; from then on it is finished, also by another process. */
export async function markPerson(personId: string, world: DeletionScope) {
  const made = `${personId.slice(0, personId.indexOf(":"))}:deleted-${randomBytes(6).toString("hex")}`;
  return write(world, (writes) => writes.mark(personId, made, world.runtime.clock.now()));
}

/**
 * Deletes what is marked: sessions that are theirs alone go whole, elsewhere a mark stands in place of their words and a
 * pseudonym in theirs. What the ledger has of the present day waits until the day is over, so that nobody gets around a limit.
 */
export async function erasePerson(mark: Mark, world: DeletionScope, signal: AbortSignal): Promise<void> {
  const personId = mark.id.slice("person:".length);
  const { store, runtime } = world;
  const names = await store.tables(personReads).namesOf(personId);
  const renamed = { id: personId, names, pseudonym: mark.pseudonym ?? `${personId.split(":")[0]}:deleted` };
  if (mark.state !== "ledger") {
    const { alone, shared } = await findPerson(personId, world);
    const outcomes = await deleteSessions({ why: "session", roots: alone }, world, signal);
    // Somebody has just written there: the next pass finds it over.
    if ([...outcomes.values()].includes("live")) return;
    await eraseShared({ renamed, family: shared }, world, signal);
    await write(world, (writes) => writes.onlyLedger(personId));
  }
  const today = Math.floor(runtime.clock.now() / DAY_MS) * DAY_MS;
  const until = Math.min(today - 1, mark.createdAt);
  await inBatches(() => write(world, (writes) => writes.renameSpending(renamed, until)), signal);
  if (!(await store.tables(personReads).hasSpent(personId, mark.createdAt))) {
    await write(world, (writes) => writes.finish(personId));
  }
  await emptyLog(world, signal);
}

function write<T>(
  { store, database }: DeletionScope,
  work: (writes: ReturnType<typeof personWrites>) => Promise<T>,
): Promise<T> {
  return store.transaction((tx) => work(tx.tables((db) => personWrites(db, database))));
}

interface Shared {
  readonly renamed: Renamed;
  /** Sessions that they share with others, and these sessions' sub-agents'. */
  readonly family: readonly string[];
}

/** Their messages come last: by these the rest is found again after a crash. */
async function eraseShared({ renamed, family }: Shared, world: DeletionScope, signal: AbortSignal): Promise<void> {
  const { store } = world;
  const reads = store.tables(personReads);
  const runIds = await reads.runsOf(renamed.id, family);
  const contents = await reads.contentsOf(renamed.id, family);
  const attached = contents.flatMap(({ channelId, content }) =>
    attachmentsIn(content).map((path) => ({ channelId, path })),
  );
  await eraseAttached(attached, family, world);
  await write(world, (writes) => writes.clearTraces(renamed.id, { runIds, family }));
  const forget = () => store.transaction((tx) => tx.tables(memoryDeletion).forgetOfPerson(renamed.id));
  await inBatches(forget, signal);
  await inBatches(() => clearThreads(renamed, world.store, world.database), signal);
  await inBatches(() => write(world, (writes) => writes.clearEvents(renamed)), signal);
  await write(world, (writes) => writes.deleteOwn(renamed.id));
  await rename(renamed, world, signal);
  await inBatches(() => write(world, (writes) => writes.clearMessages(renamed)), signal);
}

function clearThreads(renamed: Renamed, store: Store, database: DeletionScope["database"]): Promise<number> {
  return store.transaction(async (tx) => {
    const { count, files } = await tx.tables((db) => personWrites(db, database)).clearOwnThreads(renamed);
    await tx.tables(threadDeletion).deleteFiles(files);
    return count;
  });
}

async function rename(renamed: Renamed, world: DeletionScope, signal: AbortSignal): Promise<void> {
  for (const column of JSON_COLUMNS) {
    await inBatches(() => write(world, (writes) => writes.renameInJson(column, renamed)), signal);
  }
  for (const column of ID_COLUMNS) await write(world, (writes) => writes.renameIn(column, renamed));
}
