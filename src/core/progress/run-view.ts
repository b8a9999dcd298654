import type { OutgoingMessage, PostedMessage } from "../platform/outgoing.ts";
import type { ThreadRef } from "../platform/thread.ts";
import type { QueryEvent, QueryOutcome, RunStats, TaskProgress } from "../protocol/events.ts";

/** Shows a run to people. Implemented in adapters/render over any ChatPlatform. */
export interface RunView {
  /** Shows an event soon, possibly combined with others. Never throws and never blocks the run. */
  show(event: QueryEvent): void;
  /** Posts the final messages and folds the live message. Safe to repeat, because posts are keyed. */
  finish(outcome: QueryOutcome, stats: RunStats): Promise<void>;
  /** Shows that the run waits. Progress of its sub-agents is still shown, until `suspend`. */
  park(): Promise<void>;
  /** Stops editing, while the run stays open (shutdown). */
  suspend(): Promise<void>;
}

export interface RunViewOptions {
  readonly runId: string;
  readonly sessionId: string;
  readonly thread: ThreadRef;
  readonly agentName: string;
  readonly startedAt: number;
  /** Whether an earlier process or the queue has begun to post the live message, which this view then continues. */
  readonly isLive: boolean;
  /** Whether the run waits for a slot. Another view is opened once it has one. */
  readonly isQueued?: boolean;
  /** Number of the run's tool calls that had ended before this wake. */
  readonly toolsBefore: number;
  /** Notices that were shown before this wake, oldest first. */
  readonly noticesBefore: readonly string[];
  /** The run's sub-agents as stored. */
  readonly tasks: readonly TaskProgress[];
  /** Id of the message that began the run, which the view may react to; null if no message did. */
  readonly triggerMessageId: string | null;
  /**
   * Id of the person whose message began the run, who is told privately what the thread cannot show. Null if no message
   * did.
   */
  readonly askedBy: string | null;
  /** Stores the final state of the live message, so that a crash does not leave it looking busy. */
  closes(last: OutgoingMessage): Promise<void>;
  /** Edits the live message into its final state. Resolves with whether people see it. Never rejects. */
  finalise(last: OutgoingMessage): Promise<boolean>;
  /** Shows the live message's final state again if it has one, because this view may have written over it. */
  repeatFinal(): Promise<void>;
  /**
   * Whether no other process has continued the run, which may happen while it is parked. Absent if there are no others.
   */
  isOurs?(): Promise<boolean>;
  /** Posts once per key and run, also across a crash (TurnContext.post). */
  post(key: string, message: OutgoingMessage, thread?: ThreadRef): Promise<PostedMessage>;
}

export type OpenRunView = (options: RunViewOptions) => RunView;
