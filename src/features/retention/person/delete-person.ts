import { randomBytes } from "node:crypto";
import { startOfDay } from "../../../core/budget/limits.ts";
import type { Store } from "../../../core/store/store.ts";
import { type DeletionScope, deleteSessions, emptyLog, eraseAttached, inBatches } from "../delete-sessions.ts";
import { memoryDeletion } from "../memories/store.ts";
import { fileReferences } from "../references/store.ts";
import { deletionReads, type Mark } from "../store.ts";
import { threadDeletion } from "../threads/store.ts";
import { ID_COLUMNS, JSON_COLUMNS, personReads, personWrites, type Renamed } from "./store.ts";

/** How much is kept of a person. */
export interface PersonsData {
  /** Sessions in which nobody else has said anything; deleted as a whole. */
  readonly sessions: number;
  /** The person's messages beside others'; each is replaced by a mark. */
  readonly messages: number;
  /** Memories by the person and about the person. */
  readonly memories: number;
  readonly jobs: number;
  /** Open runs in the person's sessions; nothing is deleted until these have ended. */
  readonly openRuns: number;
}

interface Found extends PersonsData {
  readonly alone: readonly string[];
  /** Sessions shared with others, and those of their sub-agents. */
  readonly shared: readonly string[];
}

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

/** Marks a person's data for deletion. From then on the deletion is completed, if necessary by another process. */
export async function markPerson(personId: string, world: DeletionScope) {
  const made = `${personId.slice(0, personId.indexOf(":"))}:deleted-${randomBytes(6).toString("hex")}`;
  return write(world, (writes) => writes.mark(personId, made, world.runtime.clock.now()));
}

/**
 * Deletes a marked person's data. Sessions of the person alone are deleted as a whole; elsewhere a mark replaces the
 * words and a pseudonym the person. Today's entries of the ledger wait until the day is over, so that nobody can evade
 * a limit.
 */
export async function erasePerson(mark: Mark, world: DeletionScope, signal: AbortSignal): Promise<void> {
  const personId = mark.id.slice("person:".length);
  const { store, runtime } = world;
  const names = await store.tables(personReads).namesOf(personId);
  const renamed = { id: personId, names, pseudonym: mark.pseudonym ?? `${personId.split(":")[0]}:deleted` };
  if (mark.state !== "ledger") {
    const { alone, shared } = await findPerson(personId, world);
    const outcomes = await deleteSessions({ why: "session", roots: alone }, world, signal);
    // The person has just written there; a later pass continues.
    if ([...outcomes.values()].includes("live")) return;
    await eraseShared({ renamed, family: shared }, world, signal);
    await write(world, (writes) => writes.onlyLedger(personId));
  }
  const until = Math.min(startOfDay(runtime.clock.now()) - 1, mark.createdAt);
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
  /** Sessions shared with others, and those of their sub-agents. */
  readonly family: readonly string[];
}

/** Clears the messages last, because after a crash the rest is found through them. */
async function eraseShared({ renamed, family }: Shared, world: DeletionScope, signal: AbortSignal): Promise<void> {
  const { store } = world;
  const runIds = await store.tables(personReads).runsOf(renamed.id, family);
  await eraseAttached(await store.tables(fileReferences).attachmentsOf(family, renamed.id), family, world);
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
