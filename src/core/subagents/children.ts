import { changedFiles } from "../agent/run-state.ts";
import type { SessionEngine } from "../engine/engine.ts";
import {
  type ChildEnd,
  type ChildEvent,
  type ChildReport,
  childEndKeys,
  childStartKey,
} from "../events/child-event.ts";
import { MAX_CHILDREN } from "../events/child-task.ts";
import { peopleOfRun } from "../people/run-people.ts";
import type { CancelCause } from "../protocol/cancel-cause.ts";
import type { QueryOutcome } from "../protocol/events.ts";
import { labelOf } from "../protocol/messages.ts";
import type { Clock } from "../protocol/runtime.ts";
import { REPORT } from "../store/child-status.ts";
import { beginKeyOf, type ChildRow, type NewChild } from "../store/run/children.ts";
import type { Store, StoreReads, StoreTransaction } from "../store/store.ts";
import { reportText } from "./child-report.ts";
import { releaseIn, releaseQueued, wakeReleased } from "./queued-children.ts";

export interface ChildDeps {
  readonly store: Store;
  readonly engine: Pick<SessionEngine, "deliver">;
  readonly clock: Clock;
}

/**
 * Begins a sub-agent once per call: stores its session and the event that begins its run. Nothing begins after a stop,
 * nor beyond `MAX_CHILDREN`, however many calls arrive at once.
 */
export async function beginChild(
  child: Pick<NewChild, "id" | "settings">,
  event: ChildEvent,
  { engine }: ChildDeps,
): Promise<"begun" | "stopped" | "too many"> {
  const { parent, task, author, at } = event;
  const row = {
    ...child,
    parentId: parent.sessionId,
    parentRunId: parent.runId,
    parentCallId: parent.callId,
    task,
    createdBy: author.id,
    createdAt: at,
  };
  const body = task.concurrencyLimit === undefined ? event : { ...event, queued: true };
  let refused: "stopped" | "too many" = "stopped";
  const outcome = await engine.deliver(child.id, { key: childStartKey(event), body }, async (tx) => {
    await tx.sessions.lock(parent.sessionId);
    if (!(await tx.runs.holdOpen(parent.runId))) return false;
    const { length } = await tx.children.ofRun(parent.sessionId, parent.runId);
    refused = "too many";
    if (length >= MAX_CHILDREN) return false;
    await tx.children.create(row);
    return true;
  });
  return outcome === "refused" ? refused : "begun";
}

export interface EndingChild {
  readonly event: ChildEvent;
  readonly sessionId: string;
  readonly runId: string;
  readonly outcome: QueryOutcome;
  /** Ends the run within the given transaction. */
  readonly endRun: (tx: StoreTransaction, at: number) => Promise<void>;
}

/**
 * Ends a child and delivers its report to the parent in one transaction, so that neither is ever stored without the
 * other.
 */
export async function endChild(ending: EndingChild, { store, engine, clock }: ChildDeps): Promise<void> {
  const { event, sessionId, runId, outcome, endRun } = ending;
  const at = clock.now();
  const report = await childReport(ending, store);
  const keys = childEndKeys(sessionId, runId);
  const body = { kind: "resume", of: "child" } as const;
  let released: readonly string[] = [];
  await engine.deliver(event.parent.sessionId, { key: keys.wakes, body }, async (tx) => {
    // Taken before all other locks, in the same order as when an executor begins, to avoid deadlocks.
    if (event.task.concurrencyLimit !== undefined) await tx.sessions.lock(event.parent.sessionId);
    await endRun(tx, at);
    await tx.journal.put(runId, REPORT, { value: report, at });
    released = event.task.concurrencyLimit === undefined ? [] : await releaseIn(tx, event.parent.sessionId);
    // Whoever stopped the sub-agent knows about it already.
    if (!event.task.background || outcome.type === "cancelled") return true;
    const { author, nonInteractive, job, task, parent } = event;
    const note: ChildEnd = { kind: "child_end", childId: sessionId, task, report, author, nonInteractive, job, at };
    const delivery = { event: { key: keys.note, body: note }, wakes: true, resumes: false, at };
    await tx.inbox.insert({ sessionId: parent.sessionId, ...delivery });
    return true;
  });
  await wakeReleased(released, engine);
}

async function childReport({ sessionId, runId, outcome }: EndingChild, store: Store): Promise<ChildReport> {
  const [history, calls, people] = await Promise.all([
    store.messages.list(sessionId),
    store.toolCalls.ofRun(runId),
    peopleOfRun(store, runId),
  ]);
  return {
    ...reportText(outcome, history),
    changedFiles: changedFiles(calls.flatMap(({ result }) => result?.files ?? [])),
    people: [people.requester, ...people.others],
    label: labelOf(history),
  };
}

export interface StoppedRun {
  readonly sessionId: string;
  readonly runId: string;
}

/**
 * Requests that a run and all its descendants stop. Returns the open runs below it, and executors of other runs that
 * may begin in place of withdrawn ones.
 */
export async function stopRun(tx: StoreTransaction, run: StoppedRun, cause: CancelCause) {
  // Taken before all other locks, in the same order as when an executor begins or ends.
  await tx.sessions.lock(run.sessionId);
  await tx.runs.requestCancel(run.runId, cause);
  const below = await stopSessionTree(tx, run, cause);
  return { below, released: await releaseIn(tx, run.sessionId) };
}

/**
 * Requests that all descendants of a run stop, and withdraws those that have not begun. Returns their open runs. Each
 * generation is read after the previous one was stopped, which can begin no more children by then.
 */
async function stopSessionTree(tx: StoreTransaction, run: StoppedRun, cause: CancelCause): Promise<StoppedRun[]> {
  const stopped: StoppedRun[] = [];
  let generation = await tx.children.ofRun(run.sessionId, run.runId);
  while (generation.length > 0) {
    const below: ChildRow[] = [];
    for (const child of generation) {
      const open = await stopChild(tx, child, cause);
      if (open?.isStopped === true) stopped.push({ sessionId: child.id, runId: open.runId });
      below.push(...(await tx.children.ofSession(child.id)));
    }
    generation = below;
  }
  return stopped;
}

/** Stops one child. `isStopped` tells whether this call made the request. Null if the child has no open run. */
async function stopChild(tx: StoreTransaction, child: ChildRow, cause: CancelCause) {
  // Takes the beginning event first. Beginning a run takes the same event, so one of the two finds it already taken.
  if (await tx.inbox.takeKey(beginKeyOf(child), null)) return null;
  const open = await tx.runs.open(child.id);
  return open === null ? null : { runId: open.id, isStopped: await tx.runs.requestCancel(open.id, cause) };
}

/** Withdraws a sub-agent that has not begun; false if it has. */
export async function withdrawChild(child: ChildRow, { store, engine }: Pick<ChildDeps, "store" | "engine">) {
  const isWithdrawn = await store.transaction((tx) => tx.inbox.takeKey(beginKeyOf(child), null));
  // The sub-agent may have had a slot.
  if (isWithdrawn && child.task.concurrencyLimit !== undefined) await releaseQueued(child.parentId, { store, engine });
  return isWithdrawn;
}

/** Withdraws a session's sub-agents that have not begun, of any of its runs. Returns whether there were any. */
export function withdrawWaiting(store: Store, sessionId: string): Promise<boolean> {
  return store.transaction(async (tx) => {
    await tx.sessions.lock(sessionId);
    let isAny = false;
    for (const child of await tx.children.ofSession(sessionId)) {
      isAny = (await tx.inbox.takeKey(beginKeyOf(child), null)) || isAny;
    }
    return isAny;
  });
}

type FamilyReads = Pick<StoreReads, "children" | "inbox" | "runs">;

/** Whether the session has an open run, or a sub-agent has one or is about to begin one. */
export async function isTreeAtWork(store: FamilyReads, sessionId: string): Promise<boolean> {
  return (await areChildrenAtWork(store, sessionId)) || (await store.runs.open(sessionId)) !== null;
}

/**
 * The same as `isTreeAtWork`, but also true if the session is about to begin a run. Checks in the order in which work
 * moves: the end of a sub-agent becomes a waiting event, which then begins a run. `at` is in milliseconds since the
 * epoch.
 */
export async function isTreeBusy(store: FamilyReads, sessionId: string, at: number): Promise<boolean> {
  return (await areChildrenAtWork(store, sessionId)) || isSessionBusy(store, sessionId, at);
}

/** The same for the session alone. If a waiting event is taken between the two queries, its run is open by then. */
export async function isSessionBusy(store: Omit<FamilyReads, "children">, sessionId: string, at: number) {
  return (await store.inbox.nextWaking(sessionId, at)) !== null || (await store.runs.open(sessionId)) !== null;
}

async function areChildrenAtWork(store: FamilyReads, sessionId: string): Promise<boolean> {
  for (const child of await store.children.ofSession(sessionId)) {
    // Checks waiting events first. If one is taken between the two queries, its run is open by then.
    if (await store.inbox.isWaiting(beginKeyOf(child))) return true;
    if ((await store.runs.open(child.id)) !== null) return true;
  }
  return false;
}

/** The open runs of a session's sub-agents, including those whose parent run has ended. */
export async function openChildren(store: Store, sessionId: string): Promise<StoppedRun[]> {
  const children = await store.children.ofSession(sessionId);
  const runs = await Promise.all(children.map(({ id }) => store.runs.open(id)));
  return runs.flatMap((run) => (run === null ? [] : [{ sessionId: run.sessionId, runId: run.id }]));
}
