import type { SessionEvent, StoredEvent } from "../events/session-event.ts";
import type { OutgoingMessage, PostedMessage } from "../platform/outgoing.ts";
import type { ThreadRef } from "../platform/thread.ts";
import type { CancelCause } from "../protocol/cancel-cause.ts";
import type { Message } from "../protocol/messages.ts";
import type { Applicant, SessionRow } from "../store/sessions.ts";
import type { StoreTransaction } from "../store/store.ts";

/**
 * Decides who runs a session and when. The embedded engine (one process) and the distributed one implement the same
 * port. One wake is one call of `SessionHandler`: it takes a session from an event, or from the step at which a crash
 * interrupted it, to the end of the run or to the next point at which it must wait.
 */

export interface SessionEngine {
  start(handler: SessionHandler): Promise<void>;
  /** Suspends all running work. Signals abort with SuspendSignal, and open runs stay open for the next process. */
  stop(drainMs: number): Promise<void>;
  /**
   * Stores an event durably, then wakes the session. With a claim, the event is stored in the claim's transaction, and
   * only if the claim accepts it, so that a decision, an answer or an occurrence counts exactly when it also wakes the
   * session.
   */
  deliver(sessionId: string, event: SessionEvent, claim?: Claim): Promise<DeliveryResult>;
  /**
   * The same as `deliver`, but the session is woken at `dueAt` (milliseconds since the epoch), also after a restart.
   */
  deliverAt(sessionId: string, event: SessionEvent, dueAt: number): Promise<"new" | "duplicate">;
  /** Ends the session's run as cancelled, from any process. Resolves when the request is durable. */
  cancel(sessionId: string, runId: string, cause: CancelCause): Promise<void>;
}

/** The result of a delivery. `refused` means that the claim rejected the event. */
export type DeliveryResult = "new" | "duplicate" | "refused";

/**
 * Database work that decides whether an event counts. If it opens the session for the event, it returns the session's
 * applicant.
 */
export type Claim = (tx: StoreTransaction) => Promise<boolean | Applicant>;

export interface SessionHandler {
  /** Drives the run until it ends or parks. Throws only on defects, suspension and lost ownership. */
  run(wake: Wake, ctx: TurnContext): Promise<"ended" | "parked">;
  /**
   * Shows the position of a run that has begun but waits for a slot. Called again whenever `before`, the number of runs
   * ahead, changes.
   */
  queued(wake: Wake, ctx: TurnContext, before: number): Promise<void>;
}

export interface Wake {
  readonly sessionId: string;
  readonly runId: string;
  /** The event that began the run. */
  readonly event: StoredEvent;
  /** Whether the run had begun before, and continues after a crash or after parking. */
  readonly resumed: boolean;
  /** The session as of this wake. */
  readonly session: SessionRow;
  /** Whether this is the session's first wake, so that it has no history yet. */
  readonly isFirst: boolean;
  /** Start time of the run, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Events that were waiting when the run began and entered it together with `event`, oldest first. */
  readonly pending: readonly StoredEvent[];
}

/** A journalled value. `found` distinguishes a journalled `undefined` from a missing entry. */
export interface JournalledValue {
  readonly found: boolean;
  readonly value: unknown;
}

/** Shows whether a transaction without a key was committed although its result was lost. */
export interface CommitProof {
  readonly isDone: (tx: StoreTransaction) => Promise<boolean>;
  /** Keys of messages that are posted next. Their intents become part of the transaction. */
  readonly announces?: readonly string[];
}

/** Proof for work that may safely be done twice. */
export const REPEATABLE: CommitProof = { isDone: () => Promise.resolve(false) };

export interface TurnContext {
  readonly runId: string;
  /** Aborts with CancelSignal (the run was stopped) or SuspendSignal (shutdown, lost ownership). */
  readonly signal: AbortSignal;
  /** The owner's epoch. Every journal write checks it, so a stale owner can commit nothing. */
  readonly epoch: number;
  /**
   * Runs `fn` exactly once: its effect and its journal row are one transaction. `fn` does database work only. Results
   * are JSON.
   */
  transaction<T>(key: string, fn: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  /** The value journalled under a key, in this wake or an earlier one. */
  earlier(key: string): Promise<JournalledValue>;
  /**
   * Runs `fn` at least once: its journal row is part of the next transaction, and after a crash before that `fn` runs
   * again. Results are JSON.
   */
  stage<T>(key: string, fn: () => Promise<T>): Promise<T>;
  /** The same as `transaction` but without a journal row, for rows that prove themselves that they were written. */
  commit(fn: (tx: StoreTransaction) => Promise<void>, proof: CommitProof): Promise<void>;
  /**
   * Adds database work to the next transaction, replacing work deferred under the same key. Only for work that nothing
   * depends on yet and that may be lost with the process.
   */
  defer(key: string, work: (tx: StoreTransaction) => Promise<void>): void;
  /** Commits deferred work, if there is any. */
  flush(): Promise<void>;
  /** Appends messages to the session's history, within a transaction of this context. */
  append(tx: StoreTransaction, messages: readonly Message[]): Promise<void>;
  /** The session's whole history if this wake has appended all of it; null otherwise. */
  history(): readonly Message[] | null;
  /** Posts a message once, also across a crash, in the session's thread as of the wake or in the given one. */
  post(key: string, message: OutgoingMessage, thread?: ThreadRef): Promise<PostedMessage>;
  /** Takes the events that have arrived for this session since, oldest first. They belong to this run from now on. */
  takeInbox(key: string): Promise<readonly StoredEvent[]>;
}
