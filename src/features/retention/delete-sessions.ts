import { ownId } from "../../core/events/event-key.ts";
import type { OutgoingMessage } from "../../core/platform/outgoing.ts";
import { channelOf, type ThreadRef } from "../../core/platform/thread.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Runtime } from "../../core/protocol/runtime.ts";
import { threadsIn } from "../../core/store/sessions.ts";
import type { Store } from "../../core/store/store.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { SNAPSHOT_LIMITS } from "../../tools/snapshots.ts";
import { dropAttachment, dropContents, dropOwnDirectories, keptContents } from "./files.ts";
import { type MemorySource, memoryDeletion } from "./memories/store.ts";
import { fileReferences } from "./references/store.ts";
import { type Database, type DeletionReason, deletionReads, deletionWrites, markId } from "./store.ts";
import { SESSION_TABLES } from "./tables.ts";
import { inThreads, threadDeletion } from "./threads/store.ts";

export interface DeletionScope extends Pick<FeatureHost, "describe" | "home" | "snapshots" | "sandboxRootOf"> {
  readonly store: Store;
  readonly database: Database;
  readonly runtime: Pick<Runtime, "clock">;
  readonly log: Log;
  /** Closes cards that still wait in runs that are over; absent if no platforms are connected. */
  readonly closeCard?: FeatureHost["closeCard"];
  /** Learns of sessions that nobody may see from now on, while their rows still exist. */
  readonly sessionsGone?: FeatureHost["sessionsGone"];
  /** Learns of threads that are deleted, or of which some messages are. */
  readonly threadErased?: FeatureHost["threadErased"];
}

/** Wait after marking a session, in milliseconds: an event arriving at that moment is stored, and the session stays. */
const GRACE_MS = 300;
/** How long to wait for the last edits of messages, and how often to check, in milliseconds. */
const LAST_EDITS = { waitMs: 10_000, everyMs: 100 };
/** How often to retry emptying the log while readers block it; then the next deletion does it. In milliseconds. */
const LOG_TRIES = { most: 20, everyMs: 100 };
/** Platforms may redeliver events this old, so which of them were answered must be known. In milliseconds. */
const MISSED_MS = 25 * 60 * 60_000;

/** Sessions other than sub-agents'. */
interface Roots {
  readonly why: DeletionReason;
  readonly roots: readonly string[];
}

export type Deleted = "deleted" | "live" | "missing";

/**
 * Deletes sessions with their sub-agents. Each is first marked, so that no thread finds it any more, and deleted once
 * nothing is running in it. After a crash, `finishDeletions` completes what was begun.
 */
export async function deleteSessions(
  { why, roots }: Roots,
  world: DeletionScope,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Deleted>> {
  const outcomes = new Map<string, Deleted>();
  const marked: string[] = [];
  for (const id of roots) {
    const outcome = await mark(why, id, world);
    if (outcome === "marked") marked.push(id);
    else outcomes.set(id, outcome);
  }
  if (marked.length === 0) return outcomes;
  world.sessionsGone?.(marked);
  await world.runtime.clock.sleep(GRACE_MS, signal);
  const begun = await begin({ why, roots: marked }, world);
  for (const id of marked) outcomes.set(id, begun.includes(id) ? "deleted" : "live");
  await erase({ why, roots: begun }, world, signal);
  return outcomes;
}

/** Completes the deletions that an earlier process left. A session that was only marked and has work again stays. */
export async function finishSessions({ why, roots }: Roots, world: DeletionScope, signal: AbortSignal): Promise<void> {
  await erase({ why, roots: await begin({ why, roots }, world) }, world, signal);
}

function write<T>(
  { store, database }: DeletionScope,
  work: (writes: ReturnType<typeof deletionWrites>) => Promise<T>,
): Promise<T> {
  return store.transaction((tx) => tx.tables((db) => work(deletionWrites(db, database))));
}

function mark(why: DeletionReason, id: string, world: DeletionScope): Promise<"marked" | "live" | "missing"> {
  const now = world.runtime.clock.now();
  return write(world, async (writes) => {
    const [place] = await writes.placesOf([id]);
    // A sub-agent's session is deleted with its parent's.
    if (place === undefined || place.parentId !== null) return "missing";
    await writes.mark(why, id, now);
    if (!(await writes.isLive(await writes.family([id]), now))) return "marked";
    await writes.takeBack(why, id);
    return "live";
  });
}

/** Begins the deletion of those sessions in which nothing is running, and returns them; unmarks the others. */
function begin({ why, roots }: Roots, world: DeletionScope): Promise<string[]> {
  const now = world.runtime.clock.now();
  return write(world, async (writes) => {
    const begun: string[] = [];
    for (const { id, state } of await writes.marks()) {
      const root = roots.find((one) => id === markId(why, one));
      if (root === undefined) continue;
      const isLive = state === "marked" && (await writes.isLive(await writes.family([root]), now));
      if (isLive) await writes.takeBack(why, root);
      else begun.push(root);
    }
    await writes.begin(why, begun);
    return begun;
  });
}

/** Deletes everything of the sessions, each step in its own transactions. Run again, it does whatever is left. */
async function erase({ why, roots }: Roots, world: DeletionScope, signal: AbortSignal): Promise<void> {
  if (roots.length === 0) return;
  const { store, runtime } = world;
  const reads = store.tables(deletionReads);
  const family = await reads.family(roots);
  await closeCards(family, world);
  await lastEdits(family, world, signal);
  await eraseFiles(family, world);
  // Old memories expire by themselves, since they may still be of use.
  if (why === "session") await eraseMemories({ roots, family, world, signal });
  await eraseThreads({ roots, family, world, signal });
  const now = runtime.clock.now();
  await write(world, async (writes) => {
    await writes.rememberAnswered(await writes.keptKeys(family, now - MISSED_MS), now);
    await writes.keepDecisions(family);
    await writes.clearGrants(family);
    await writes.clearOccurrences(family);
  });
  for (const table of SESSION_TABLES) {
    await inBatches(() => write(world, (writes) => writes.deleteSome(table, family)), signal);
  }
  await write(world, (writes) => writes.finish(why, roots, family));
  // Old sessions may be thousands, so the log is emptied once after all of them.
  if (why === "session") await emptyLog(world, signal);
}

/** Removes deleted data from the database's own log, if it keeps one. */
export async function emptyLog({ store, database, runtime }: DeletionScope, signal: AbortSignal): Promise<void> {
  const reads = store.tables(deletionReads);
  for (let tries = 0; tries < LOG_TRIES.most && !(await reads.emptyLog(database)); tries += 1) {
    await runtime.clock.sleep(LOG_TRIES.everyMs, signal);
  }
}

/** Repeats until nothing is left, letting others write in between. Returns the sum. */
export async function inBatches(work: () => Promise<number>, signal: AbortSignal): Promise<number> {
  for (let sum = 0; ; signal.throwIfAborted()) {
    const done = await work();
    if (done === 0) return sum;
    sum += done;
  }
}

/** Marks cards that still wait as closed. */
async function closeCards(family: readonly string[], { store, closeCard, log }: DeletionScope): Promise<void> {
  if (closeCard === undefined) return;
  for (const { runId, thread } of await store.tables(deletionReads).openCards(family)) {
    for (const place of threadsIn(thread)) {
      const card = { runId, hook: "instructions", thread: place };
      await closeCard(card, CLOSED).catch((error: unknown) => log.warn({ err: error, runId }, "card_not_closed"));
    }
  }
}

const CLOSED: OutgoingMessage = {
  lane: "approval",
  markdown: "⏹ Closed: this conversation was deleted. What was asked here is asked again in the next one.",
  tone: "plain",
  buttons: [],
  files: [],
};

/** Waits a limited time until messages that still show work in progress got their last edit. */
async function lastEdits(family: readonly string[], world: DeletionScope, signal: AbortSignal): Promise<void> {
  if (world.closeCard === undefined) return;
  const { clock } = world.runtime;
  const reads = world.store.tables(deletionReads);
  const until = clock.now() + LAST_EDITS.waitMs;
  while ((await reads.unshown(family)) > 0 && clock.now() < until) await clock.sleep(LAST_EDITS.everyMs, signal);
}

/** Deletes snapshots and attachments to which no other session refers, and sub-agents' own directories. */
async function eraseFiles(family: readonly string[], world: DeletionScope): Promise<void> {
  const { store, snapshots, home, runtime } = world;
  const references = store.tables(fileReferences);
  const since = runtime.clock.now();
  const kept = await keptContents(snapshots);
  const own = [...(await references.hashesOf(family))].filter((hash) => kept.has(hash));
  if (own.length > 0) {
    const others = await references.hashesOfOthers(own, family, since - SNAPSHOT_LIMITS.ageMs);
    await dropContents(snapshots, new Set(own.filter((hash) => !others.has(hash))), since);
  }
  await dropOwnDirectories(home, family);
  await eraseAttached(await references.attachmentsOf(family), family, world);
}

export interface Attached {
  readonly channelId: string;
  /** Relative to the sandbox root. */
  readonly path: string;
}

/** Deletes attachments that no session outside the family mentions. */
export async function eraseAttached(
  attached: readonly Attached[],
  family: readonly string[],
  { store, sandboxRootOf }: DeletionScope,
): Promise<void> {
  if (attached.length === 0) return;
  const references = store.tables(fileReferences);
  const roots = (await references.channels()).map(({ id, workspaceId }) => ({
    id,
    root: sandboxRootOf(channelOf(id, ownId(workspaceId))),
  }));
  // Many messages may mention the same file.
  const files = new Map(attached.map((each) => [JSON.stringify([each.channelId, each.path]), each]));
  for (const { channelId, path } of files.values()) {
    const root = roots.find(({ id }) => id === channelId)?.root;
    if (root === undefined) continue;
    const sharing = roots.filter((each) => each.root === root).map(({ id }) => id);
    if (!(await references.isAttachedElsewhere(path, sharing, family))) await dropAttachment(root, path);
  }
}

interface ErasureArgs {
  readonly roots: readonly string[];
  /** The roots and their sub-agents' sessions. */
  readonly family: readonly string[];
  readonly world: DeletionScope;
  readonly signal: AbortSignal;
}

/** Deletes what was told or learned in these sessions, including pinned memories. */
async function eraseMemories({ roots, family, world, signal }: ErasureArgs): Promise<void> {
  const { store } = world;
  const runIds = await store.tables(deletionReads).runIdsOf(family);
  const forget = (work: (memories: ReturnType<typeof memoryDeletion>) => Promise<number>) =>
    inBatches(() => store.transaction((tx) => work(tx.tables(memoryDeletion))), signal);
  for (let from = 0; from < runIds.length; from += RUNS_TOGETHER) {
    const some = runIds.slice(from, from + RUNS_TOGETHER);
    await forget((memories) => memories.forgetOfRuns(some));
  }
  for (const place of await memorySourcesOf(roots, world)) await forget((memories) => memories.forgetToldIn(place));
}

/** Runs named per statement. */
const RUNS_TOGETHER = 500;

/** Threads that are deleted with their sessions, as memories refer to them. */
export async function memorySourcesOf(roots: readonly string[], { store }: DeletionScope): Promise<MemorySource[]> {
  const reads = store.tables(deletionReads);
  const places: MemorySource[] = [];
  for (const { id, channelId, thread, platform, workspaceId, threadId } of await threadsOf(roots, store)) {
    if (await reads.isThreadOfOthers(thread, channelId, roots)) continue;
    const { people } = await store.sessions.get(id);
    const scopes = [
      `channel:${channelId}`,
      `workspace:${platform}:${workspaceId}`,
      ...people.map((one) => `person:${one}`),
    ];
    places.push({ source: `${channelId}:${threadId}`, scopes });
  }
  return places;
}

interface SessionThread extends ThreadRef {
  readonly id: string;
  readonly threadId: string;
  /** As it is stored. */
  readonly thread: string;
}

/** The threads of sessions. One that cannot be read is left out, so that its session is deleted all the same. */
async function threadsOf(roots: readonly string[], store: Store): Promise<SessionThread[]> {
  const places = await store.tables(deletionReads).placesOf(roots);
  return places.flatMap(({ id, channelId, thread }) =>
    threadsIn(thread).flatMap(({ threadId, ...ref }) =>
      threadId === null ? [] : [{ ...ref, id, channelId, thread, threadId }],
    ),
  );
}

/** Deletes the threads themselves on the program's own platforms. */
async function eraseThreads(erasure: ErasureArgs): Promise<void> {
  const { family, world, signal } = erasure;
  const { store } = world;
  for (const { threadId, isShared } of await ownThreadsOf(erasure)) {
    const some = (threads: ReturnType<typeof threadDeletion>) =>
      isShared ? threads.messagesOfSessions(threadId, family) : threads.messagesOf(threadId);
    await inBatches(() => inThreads(store, some), signal);
    if (!isShared) await inThreads(store, (threads) => threads.thread(threadId));
    world.threadErased?.(threadId, !isShared);
  }
}

/** Threads on the program's own platforms. `isShared`: other sessions continue in it. */
async function ownThreadsOf({ roots, family, world }: ErasureArgs) {
  const { store, describe } = world;
  const reads = store.tables(deletionReads);
  const threads = store.tables(threadDeletion);
  const readable = await threadsOf(roots, store);
  const found: { threadId: string; isShared: boolean }[] = [];
  for (const { channelId, thread, platform, threadId } of readable) {
    if (!describe(platform).isOwn) continue;
    found.push({ threadId, isShared: await reads.isThreadOfOthers(thread, channelId, roots) });
  }
  // The thread of a session whose row cannot be read is found by its messages.
  const others = roots.filter((root) => !readable.some(({ id }) => id === root));
  for (const threadId of others.length === 0 ? [] : await threads.threadsOfSessions(await reads.family(others))) {
    found.push({ threadId, isShared: await threads.isOfOthers(threadId, family) });
  }
  return found;
}
