import type { QueryEvent, QueryOutcome, RunStats, TaskProgress } from "../protocol/events.ts";
import type { OutgoingMessage, PostedMessage, ThreadRef } from "../protocol/platform.ts";

/** How a run is shown to people; adapters/render implements it over any ChatPlatform. */
export interface RunView {
  /** Shows what happened, soon; may coalesce, never throws, never blocks the run. */
  show(event: QueryEvent): void;
  /** Posts what ends the run and folds the live message. Safe to repeat: posts are keyed. */
  finish(outcome: QueryOutcome, stats: RunStats): Promise<void>;
  /** The run waits: shows so. While sub-agents go on, their progress is shown further, until `suspend`. */
  park(): Promise<void>;
  /** The run stays open (shutdown): stops editing. */
  suspend(): Promise<void>;
}

export interface RunViewOptions {
  readonly runId: string;
  readonly sessionId: string;
  readonly thread: ThreadRef;
  readonly agentName: string;
  readonly startedAt: number;
  /** True when an earlier process, or the queue, has begun to post the live message: it goes on with it. */
  readonly isLive: boolean;
  /** The run waits for a place; another view is opened when it has one. */
  readonly isQueued?: boolean;
  /** Tool calls of the run that had ended before this wake. */
  readonly toolsBefore: number;
  /** What people were told beside the answer before this wake, oldest first. */
  readonly noticesBefore: readonly string[];
  /** The run's sub-agents as the store knows them. */
  readonly tasks: readonly TaskProgress[];
  /** Messages of the person that the view may react to. */
  readonly triggerMessageId: string | null;
  /** Id of the person whose message began the run; told alone what the thread cannot show. Null: nobody's did. */
  readonly askedBy: string | null;
  /** Makes the live message's last state durable, so that a crash does not leave it looking busy. */
  closes(last: OutgoingMessage): Promise<void>;
  /** Shows the last state in place of what the live message shows; true once people see it. Never rejects. */
  finalise(last: OutgoingMessage): Promise<boolean>;
  /** Whether no other process has gone on with the run, which may happen once it is parked. Absent where there is none. */
  isOurs?(): Promise<boolean>;
  /** Posts once per key and run, also across a crash (TurnContext.post). */
  post(key: string, message: OutgoingMessage, thread?: ThreadRef): Promise<PostedMessage>;
}

export type OpenRunView = (options: RunViewOptions) => RunView;
