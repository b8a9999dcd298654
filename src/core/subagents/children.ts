import { changedFiles } from "../agent/run-state.ts";
import type { SessionEngine } from "../engine/engine.ts";
import { beginKey, type ChildEnd, type ChildEvent, type ChildReport, endKeys } from "../events/child-event.ts";
import { MOST_CHILDREN } from "../events/child-task.ts";
import { peopleOfRun } from "../people/run-people.ts";
import type { CancelCause } from "../protocol/cancel-cause.ts";
import type { QueryOutcome } from "../protocol/events.ts";
import { labelOf } from "../protocol/messages.ts";
import type { Clock } from "../protocol/runtime.ts";
import { REPORT } from "../store/child-status.ts";
import { beginKeyOf, type ChildRow, type NewChild } from "../store/run/children.ts";
import type { Store, StoreReads, StoreTransaction } from "../store/store.ts";
import { reportText } from "./child-report.ts";
import { releaseIn, releaseQueued, wakeReleased } from "./places.ts";

export interface ChildDeps {
  readonly store: Store;
  readonly engine: Pick<SessionEngine, "deliver">;
  readonly clock: Clock;
}

/**
 * Begins a sub-agent, once for its call: its session, and the event that begins its run. Nothing begins behind a stop, nor
 * beyond `MOST_CHILDREN`, however many ask at once.
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
  const outcome = await engine.deliver(child.id, { key: beginKey(event), body }, async (tx) => {
    await tx.children.lockTaskTree(parent.sessionId);
    if (!(await tx.runs.holdOpen(parent.runId))) return false;
    const { length } = await tx.children.ofRun(parent.sessionId, parent.runId);
    refused = "too many";
    if (length >= MOST_CHILDREN) return false;
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
  /** Ends the run, in the transaction it is given. */
  readonly endRun: (tx: StoreTransaction, at: number) => Promise<void>;
}

/** The end of a child and what its parent gets of it are one transaction: neither is ever without the other. */
export async function endChild(ending: EndingChild, { store, engine, clock }: ChildDeps): Promise<void> {
  const { event, sessionId, runId, outcome, endRun } = ending;
  const at = clock.now();
  const report = await childReport(ending, store);
  const keys = endKeys(sessionId, runId);
  const body = { kind: "resume", of: "child" } as const;
  let released: readonly string[] = [];
  await engine.deliver(event.parent.sessionId, { key: keys.wakes, body }, async (tx) => {
    // First of all locks, as whoever begins an executor takes it, so that the two never wait for each other.
    if (event.task.concurrencyLimit !== undefined) await tx.children.lockTaskTree(event.parent.sessionId);
    await endRun(tx, at);
    await tx.journal.put(runId, REPORT, { value: report, at });
    released = event.task.concurrencyLimit === undefined ? [] : await releaseIn(tx, event.parent.sessionId);
    // Whoever stopped it knows.
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

/** A run of a child that is to stop. */
export interface StoppedRun {
  readonly sessionId: string;
  readonly runId: string;
}

/**
 * Asks a run and all that descends from it to stop. Answers the runs below that go on, and the executors of other runs that
 * may begin in place of what was withdrawn.
 */
export async function stopRun(tx: StoreTransaction, run: StoppedRun, cause: CancelCause) {
  // First of all locks, as whoever begins or ends an executor takes it.
  await tx.children.lockTaskTree(run.sessionId);
  await tx.runs.requestCancel(run.runId, cause);
  const below = await stopFamily(tx, run, cause);
  return { below, released: await releaseIn(tx, run.sessionId) };
}

/**
 * Asks all that descends from a run to stop; what has not begun never will. Answers the runs that go on. A generation is
 * looked for when the one before is stopped: from then on that begins no more.
 */
export async function stopFamily(tx: StoreTransaction, run: StoppedRun, cause: CancelCause): Promise<StoppedRun[]> {
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

/** `isStopped`: it had not been stopped before. Null when no run of it goes on. */
async function stopChild(tx: StoreTransaction, child: ChildRow, cause: CancelCause) {
  // First what begins it: whoever begins its run takes the same event, and one of the two finds it taken.
  if (await tx.inbox.takeKey(beginKeyOf(child), null)) return null;
  const open = await tx.runs.open(child.id);
  return open === null ? null : { runId: open.id, isStopped: await tx.runs.requestCancel(open.id, cause) };
}

/** Stops a sub-agent that has not begun; false when it has. */
export async function withdrawChild(child: ChildRow, { store, engine }: Pick<ChildDeps, "store" | "engine">) {
  const isWithdrawn = await store.transaction((tx) => tx.inbox.takeKey(beginKeyOf(child), null));
  // It may have had a place.
  if (isWithdrawn && child.task.concurrencyLimit !== undefined) await releaseQueued(child.parentId, { store, engine });
  return isWithdrawn;
}

/** Stops those of a session's sub-agents that have not begun, whichever run they were begun in; true when there were any. */
export function withdrawWaiting(store: Store, sessionId: string): Promise<boolean> {
  return store.transaction(async (tx) => {
    await tx.children.lockTaskTree(sessionId);
    let isAny = false;
    for (const child of await tx.children.ofSession(sessionId)) {
      isAny = (await tx.inbox.takeKey(beginKeyOf(child), null)) || isAny;
    }
    return isAny;
  });
}

type FamilyReads = Pick<StoreReads, "children" | "inbox" | "runs">;

/** Whether a session works, or a sub-agent of it does or is about to. */
export async function isFamilyAtWork(store: FamilyReads, sessionId: string): Promise<boolean> {
  return (await areChildrenAtWork(store, sessionId)) || (await store.runs.open(sessionId)) !== null;
}

/**
 * As `isFamilyAtWork`, or whether the session itself is about to work. In the order in which work goes on: the end of a
 * sub-agent waits, and what waits begins a run. `at` is in milliseconds since the epoch.
 */
export async function isFamilyBusy(store: FamilyReads, sessionId: string, at: number): Promise<boolean> {
  if (await areChildrenAtWork(store, sessionId)) return true;
  return (await store.inbox.nextWaking(sessionId, at)) !== null || (await store.runs.open(sessionId)) !== null;
}

async function areChildrenAtWork(store: FamilyReads, sessionId: string): Promise<boolean> {
  for (const child of await store.children.ofSession(sessionId)) {
    // What waits is looked at first: an event that is taken between the two has begun a run by then.
    if (await store.inbox.isWaiting(beginKeyOf(child))) return true;
    if ((await store.runs.open(child.id)) !== null) return true;
  }
  return false;
}

/** The runs of a session's sub-agents that go on, also of those whose parent's run has ended. */
export async function openChildren(store: Store, sessionId: string): Promise<StoppedRun[]> {
  const children = await store.children.ofSession(sessionId);
  const runs = await Promise.all(children.map(({ id }) => store.runs.open(id)));
  return runs.flatMap((run) => (run === null ? [] : [{ sessionId: run.sessionId, runId: run.id }]));
}
