import type { Wake } from "../engine/engine.ts";
import { eventsEnteringRun, type WaitingEvent } from "../events/session-event.ts";
import type { CancelCause } from "../protocol/cancel-cause.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { RunRow } from "../store/runs.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Store, StoreTransaction } from "../store/store.ts";

/** A wake and the epoch under which it may write. */
export interface OwnedWake {
  readonly wake: Wake;
  readonly epoch: number;
  /** Who stopped the run before this wake; null if nobody did. */
  readonly stoppedBy: CancelCause | null;
  /** Whether more events are waiting than this run takes. */
  readonly hasMore: boolean;
}

const FIRST_EPOCH = 1;

/** A session as its new owner finds it. */
interface Owned {
  readonly session: SessionRow;
  readonly epoch: number;
  /** All events that are due, oldest first. */
  readonly waiting: readonly WaitingEvent[];
  readonly now: number;
}

/** Thrown to roll back a transaction that found nothing to do, so that a parked run keeps its owner. */
class NothingToDo extends Error {}

/**
 * The next wake: resumes the open run or begins one for the oldest waiting event; null if there is nothing to do. One
 * transaction makes this wake the session's owner, fences off the previous one, and reads all that the wake needs.
 * Calls `found` with the run's id before it reads the events.
 */
export async function nextWake(
  sessionId: string,
  { store, runtime }: { readonly store: Store; readonly runtime: Pick<Runtime, "clock" | "ids"> },
  found: (runId: string) => void,
): Promise<OwnedWake | null> {
  const runId = runtime.ids.next("run");
  const begin = store.transaction(async (tx) => {
    const now = runtime.clock.now();
    const owned = await tx.sessions.raiseEpoch(sessionId);
    const open = owned.epoch === FIRST_EPOCH ? null : await tx.runs.open(sessionId);
    found(open?.id ?? runId);
    const waiting = await tx.inbox.waiting(sessionId, now);
    if (open !== null) return resumeRun(tx, { ...owned, open, waiting, now });
    return beginRun(tx, { ...owned, runId, waiting, now });
  });
  try {
    return await begin;
  } catch (error) {
    if (error instanceof NothingToDo) return null;
    throw error;
  }
}

/**
 * Begins a run for the oldest event that may begin one; null if there is none. Events that can only resume a run are
 * then too late and are discarded. Throws NothingToDo if somebody else has just taken the event.
 */
async function beginRun(
  tx: StoreTransaction,
  { session, epoch, waiting, now, runId }: Owned & { readonly runId: string },
): Promise<OwnedWake | null> {
  const sessionId = session.id;
  const event = waiting.find(({ wakes }) => wakes);
  if (event === undefined) {
    if (waiting.some(({ resumes }) => resumes)) await tx.inbox.takeResuming(sessionId, null, now);
    return null;
  }
  if ((await tx.inbox.take([event.seq], runId)) === 0) throw new NothingToDo();
  const others = waiting.filter((each) => each !== event);
  const pending = eventsEnteringRun(others, event);
  const seqs = pending.map(({ seq }) => seq);
  if (seqs.length > 0) await tx.inbox.take(seqs, runId);
  const agent = event.body.kind === "message" ? event.body.agent : undefined;
  if (agent !== undefined) await tx.sessions.setAgent(sessionId, agent);
  await tx.runs.begin({ id: runId, sessionId, eventSeq: event.seq, at: now });
  const answering = agent === undefined ? session : { ...session, agent };
  const isFirst = epoch === FIRST_EPOCH;
  const wake = { sessionId, runId, event, resumed: false, session: answering, pending, isFirst, startedAt: now };
  return { wake, epoch, stoppedBy: null, hasMore: pending.length < others.length };
}

/**
 * Continues a run that was interrupted or stopped, or whose event has arrived. Throws NothingToDo if the run keeps
 * waiting.
 */
async function resumeRun(
  tx: StoreTransaction,
  { session, epoch, waiting, now, open }: Owned & { readonly open: RunRow },
): Promise<OwnedWake> {
  const isCut = open.status === "running" || open.cancelledBy !== null;
  if (!isCut && !waiting.some(({ resumes }) => resumes)) throw new NothingToDo();
  await tx.inbox.takeResuming(session.id, open.id, now);
  if (open.status === "parked") await tx.runs.setStatus(open.id, "running");
  const events = await tx.inbox.ofRun(open.id);
  const event = events.find(({ seq }) => seq === open.eventSeq) ?? (await tx.inbox.get(open.eventSeq));
  const pending = events.filter((each) => each !== event);
  const run = { sessionId: session.id, runId: open.id, startedAt: open.startedAt };
  const wake = { ...run, event, resumed: true, session, pending, isFirst: false };
  return { wake, epoch, stoppedBy: open.cancelledBy, hasMore: true };
}
