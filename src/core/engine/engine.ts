import type { SessionEvent, StoredEvent } from "../events/session-event.ts";
import type { CancelCause } from "../protocol/cancel-cause.ts";
import type { Message } from "../protocol/messages.ts";
import type { OutgoingMessage, PostedMessage, ThreadRef } from "../protocol/platform.ts";
import type { Applicant, SessionRow } from "../store/sessions.ts";
import type { StoreTransaction } from "../store/store.ts";

/**
 * Who runs a session now, and what wakes it. The embedded engine (one process) and a distributed one
 * stand behind the same port. One wake is one call of `SessionHandler`: it takes a session from an
 * event, or from where a crash cut it, to the end of the run or to the next thing it must wait for.
 */

export interface SessionEngine {
  start(handler: SessionHandler): Promise<void>;
  /** Suspends what runs: signals abort with SuspendSignal, open runs stay open for the next process. */
  stop(drainMs: number): Promise<void>;
  /**
   * The event is durable when this resolves; the session is then woken. With a claim, the event is stored in the claim's own
   * transaction, and only if the claim answers true: a decision, an answer or an occurrence counts exactly when the session
   * is woken for it.
   */
  deliver(sessionId: string, event: SessionEvent, claim?: Claim): Promise<Delivered>;
  /** As `deliver`, but the session is woken at `dueAt` (milliseconds since the epoch), also after a restart. */
  deliverAt(sessionId: string, event: SessionEvent, dueAt: number): Promise<"new" | "duplicate">;
  /** Ends the session's run as cancelled, from any process; resolves when the request is durable. */
  cancel(sessionId: string, runId: string, cause: CancelCause): Promise<void>;
}

/** `refused` by the claim. */
export type Delivered = "new" | "duplicate" | "refused";

/** Database work only. Answers whether the event counts; a session that it has opened for it is answered as its applicant. */
export type Claim = (tx: StoreTransaction) => Promise<boolean | Applicant>;

export interface SessionHandler {
  /** Drives the run until it ends or parks. Throws only on defects, suspension and lost ownership. */
  run(wake: Wake, ctx: TurnContext): Promise<"ended" | "parked">;
  /** The run has begun but waits for a place; called again as `before`, the number ahead of it, changes. */
  queued(wake: Wake, ctx: TurnContext, before: number): Promise<void>;
}

export interface Wake {
  readonly sessionId: string;
  readonly runId: string;
  /** The event that began the run. */
  readonly event: StoredEvent;
  /** True when the run had begun before: after a crash, or after it was parked. */
  readonly resumed: boolean;
  /** As it is at the wake. */
  readonly session: SessionRow;
  /** No wake of the session came before this one, so that it has no history of its own. */
  readonly isFirst: boolean;
  /** When the run began. Milliseconds since the epoch. */
  readonly startedAt: number;
  /** What waited when the run began and entered it with `event`, oldest first. */
  readonly pending: readonly StoredEvent[];
}

/** `found` tells a journalled `undefined` from what has not been done. */
export interface Done {
  readonly found: boolean;
  readonly value: unknown;
}

/** What shows that a transaction without a key has been committed, though nobody learnt of it. */
export interface Proof {
  readonly isDone: (tx: StoreTransaction) => Promise<boolean>;
  /** Keys of messages that are posted next: their intents are part of the transaction. */
  readonly announces?: readonly string[];
}

/** What may happen twice is never done for good. */
export const REPEATABLE: Proof = { isDone: () => Promise.resolve(false) };

export interface TurnContext {
  readonly runId: string;
  /** Aborts with CancelSignal (a person's stop) or SuspendSignal (shutdown, lost ownership). */
  readonly signal: AbortSignal;
  /** Fences this owner: every journal write checks it, so a stale owner can commit nothing. */
  readonly epoch: number;
  /** Exactly once: the effect and its journal row are one transaction. `fn` does database work only. Results are JSON. */
  transaction<T>(key: string, fn: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  /** What has been journalled under a key, in this wake or one before. */
  earlier(key: string): Promise<Done>;
  /** At least once: its journal row is part of the next transaction, and before that a crash has `fn` run again. Results are JSON. */
  stage<T>(key: string, fn: () => Promise<T>): Promise<T>;
  /** As `transaction`, for rows that are their own proof: no journal row. */
  commit(fn: (tx: StoreTransaction) => Promise<void>, proof: Proof): Promise<void>;
  /**
   * Database work that nothing depends on yet, and that may be lost with the process: it goes with the next transaction, in
   * place of what was deferred under the same key.
   */
  defer(key: string, work: (tx: StoreTransaction) => Promise<void>): void;
  /** Commits what is deferred, if anything is. */
  flush(): Promise<void>;
  /** Appends to the session's history, within a transaction of this context. */
  append(tx: StoreTransaction, messages: readonly Message[]): Promise<void>;
  /** The session's whole history where this wake has appended all of it; null where there is more. */
  history(): readonly Message[] | null;
  /** Once, also across a crash: intent, look, post, sent. In the session's thread as it was at the wake, or in another. */
  post(key: string, message: OutgoingMessage, thread?: ThreadRef): Promise<PostedMessage>;
  /** Events that arrived for this session since, oldest first; they are this run's from now on. */
  takeInbox(key: string): Promise<readonly StoredEvent[]>;
}
