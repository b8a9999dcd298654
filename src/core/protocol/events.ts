import type { CancelCause } from "./cancel-cause.ts";
import type { AppError } from "./errors.ts";
import type { Message } from "./messages.ts";
import type { PlanStep } from "./plan.ts";
import type { ToolResult } from "./tool-result.ts";
import type { Usage } from "./usage.ts";

/** What happens while a run goes on, in order. A view may drop any of them; the journal holds the truth. */
export type QueryEvent =
  | { readonly type: "turn_start"; readonly turn: number }
  | { readonly type: "token"; readonly text: string }
  /** The text streamed in this turn so far is void: the call is tried again. */
  | { readonly type: "text_discarded" }
  | {
      readonly type: "tool_start";
      readonly toolId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly title: string;
    }
  /** The call waits for a place in the sandbox; `before` others are ahead. */
  | { readonly type: "tool_queued"; readonly toolId: string; readonly before: number }
  /** The call waits for a person, a timer or a child: `what` it is, in a few words. */
  | { readonly type: "tool_waits"; readonly toolId: string; readonly what: string }
  /** The call works, and this is how far it is: `3 of 5`. Empty: nothing is known of that. */
  | { readonly type: "tool_progress"; readonly toolId: string; readonly text: string }
  | {
      readonly type: "tool_end";
      readonly toolId: string;
      readonly toolName: string;
      readonly result: ToolResult;
      readonly durationMs: number;
    }
  | { readonly type: "turn_end"; readonly turn: number; readonly usage: Usage; readonly costUsd: number | null }
  /** People's messages that entered before this turn's model call; `eventKeys` are the platform's. */
  | { readonly type: "steered"; readonly eventKeys: readonly string[] }
  /** The run ends its wake and waits: for people to decide on its calls, or for what one of its calls waits for. */
  | { readonly type: "parked"; readonly on: ParkedOn }
  /** A sub-agent of the run, as it stands now; also of a run that is parked. */
  | { readonly type: "task"; readonly task: TaskProgress }
  /** The plan that is carried out, as it stands now. */
  | { readonly type: "plan"; readonly steps: readonly PlanStep[] }
  /** The run waits for a place among `maxConcurrentRuns`; `before` others are ahead. */
  | { readonly type: "queued"; readonly before: number }
  /** Compaction, fallback, retries, budget warnings: never silent. */
  | Status;

/** `passes`: it tells of a wait, and is no longer true once that is over. */
export interface Status {
  readonly type: "status";
  readonly text: string;
  readonly passes?: true;
}

/** How far a sub-agent is, for people. */
export interface TaskProgress {
  /** The id of its session. */
  readonly id: string;
  /** The call that began it. */
  readonly callId: string;
  readonly agent: string;
  readonly description: string;
  /** `waiting`: for people. */
  readonly state: "queued" | "working" | "waiting" | "done" | "failed" | "stopped";
  /** Tool calls that have ended. */
  readonly tools: number;
  readonly elapsedMs: number;
  /** What it waits for or meets with: retries, a fallback, a limit that is near. Empty when there is nothing. */
  readonly note: string;
}

export type ParkedOn = "approval" | "call";

/** What a spending limit holds for; user, channel and day begin anew at midnight UTC. */
export type BudgetScope = "run" | "managed" | "job" | "session" | "user" | "channel" | "day";

/** What had been spent when a limit left too little for another call, in the limit's unit. */
export type BudgetExceeded = { readonly type: "budget_exceeded"; readonly scope: BudgetScope } & (
  | { readonly costUsd: number; readonly limitUsd: number }
  | { readonly tokens: number; readonly limitTokens: number }
);

export type QueryOutcome =
  | { readonly type: "end_turn"; readonly message: Message; readonly usage: Usage }
  | { readonly type: "cancelled"; readonly cause: CancelCause }
  /** `partial`: the answer as far as it had come, when its rest was to be asked for. */
  | (BudgetExceeded & { readonly partial?: Message })
  /** `partial`: the answer as far as it had come, when the last turn was cut off. */
  | { readonly type: "max_turns"; readonly turns: number; readonly partial?: Message }
  | { readonly type: "max_tokens"; readonly partial: Message }
  | { readonly type: "error"; readonly error: AppError };

/** How a wake of the loop ends: with the run's outcome, or parked until an event wakes it again. */
export type QueryEnd = QueryOutcome | { readonly type: "parked" };

/** What a run came to, for its summary line. `costUsd` is null when a price is unknown. */
export interface RunStats {
  readonly turns: number;
  readonly tools: number;
  readonly durationMs: number;
  readonly costUsd: number | null;
  /** Sandbox files the run has changed, in order of first change. */
  readonly changedFiles: readonly string[];
  /** Tools whose calls may have changed what nobody here sees. */
  readonly mayHaveChanged?: readonly string[];
  /** What else its folded line says. */
  readonly notes?: readonly string[];
  /** Its sub-agents, where a limit has stopped them together. */
  readonly tasks?: readonly TaskProgress[];
}
