import type { CancelCause } from "./cancel-cause.ts";
import type { AppError } from "./errors.ts";
import type { Message } from "./messages.ts";
import type { PlanStep } from "./plan.ts";
import type { ToolResult } from "./tool-result.ts";

/** What happens during a run, in order. A view may drop any event; the journal holds the truth. */
export type QueryEvent =
  | { readonly type: "turn_start"; readonly turn: number }
  | { readonly type: "token"; readonly text: string }
  /** The text streamed so far in this turn is void, because the call is tried again. */
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
  /** The call waits for a person, a timer or a child. `what`: a few words about it. */
  | { readonly type: "tool_waits"; readonly toolId: string; readonly what: string }
  /** Progress of the call, such as `3 of 5`; empty if it is unknown. */
  | { readonly type: "tool_progress"; readonly toolId: string; readonly text: string }
  | {
      readonly type: "tool_end";
      readonly toolId: string;
      readonly toolName: string;
      readonly result: ToolResult;
      readonly durationMs: number;
    }
  | { readonly type: "turn_end" }
  /** People's messages entered the run before this turn's model call. `eventKeys` are the platform's. */
  | { readonly type: "steered"; readonly eventKeys: readonly string[] }
  /** The run ends its wake and waits for people to decide on its calls, or for what one of its calls waits for. */
  | { readonly type: "parked"; readonly on: ParkedOn }
  /** Current state of one of the run's sub-agents; also sent while the run is parked. */
  | { readonly type: "task"; readonly task: TaskProgress }
  /** Current state of the plan that is being carried out. */
  | { readonly type: "plan"; readonly steps: readonly PlanStep[] }
  /** The run waits for a place among `maxConcurrentRuns`; `before` others are ahead. */
  | { readonly type: "queued"; readonly before: number }
  /** Compaction, fallback, retries and budget warnings, which are never silent. */
  | Status;

/** `passes`: the text is about a wait, and no longer true once that is over. */
export interface Status {
  readonly type: "status";
  readonly text: string;
  readonly passes?: true;
}

/** Progress of a sub-agent, for people. */
export interface TaskProgress {
  /** Id of the sub-agent's session. */
  readonly id: string;
  /** Id of the call that began it. */
  readonly callId: string;
  readonly agent: string;
  readonly description: string;
  /** `waiting`: for people. */
  readonly state: "queued" | "working" | "waiting" | "done" | "failed" | "stopped";
  /** Number of tool calls that have ended. */
  readonly tools: number;
  readonly elapsedMs: number;
  /** What it waits for or runs into, such as retries, a fallback or a nearby limit; empty if nothing. */
  readonly note: string;
}

export type ParkedOn = "approval" | "call";

/** What a spending limit covers. Limits of user, channel and day start anew at midnight UTC. */
export type BudgetScope = "run" | "managed" | "job" | "session" | "user" | "channel" | "day";

/** The amount spent when a limit left too little for another call, in the limit's unit. */
export type BudgetExceeded = { readonly type: "budget_exceeded"; readonly scope: BudgetScope } & (
  | { readonly costUsd: number; readonly limitUsd: number }
  | { readonly tokens: number; readonly limitTokens: number }
);

export type QueryOutcome =
  | { readonly type: "end_turn"; readonly message: Message }
  | { readonly type: "cancelled"; readonly cause: CancelCause }
  /** `partial`: the answer so far, if only its continuation was left. */
  | (BudgetExceeded & { readonly partial?: Message })
  /** `partial`: the answer so far, if the last turn was cut off. */
  | { readonly type: "max_turns"; readonly turns: number; readonly partial?: Message }
  | { readonly type: "max_tokens"; readonly partial: Message }
  | { readonly type: "error"; readonly error: AppError };

/** How a wake of the loop ends: with the run's outcome, or parked until an event wakes it again. */
export type QueryEnd = QueryOutcome | { readonly type: "parked" };

/** Result of a run, for its summary line. `costUsd` is null if a price is unknown. */
export interface RunStats {
  readonly turns: number;
  readonly tools: number;
  readonly durationMs: number;
  readonly costUsd: number | null;
  /** Sandbox files that the run has changed, in order of first change. */
  readonly changedFiles: readonly string[];
  /** Names of tools whose calls may have had effects that cannot be seen here. */
  readonly mayHaveChanged?: readonly string[];
  /** Further entries of the folded line. */
  readonly notes?: readonly string[];
  /** The run's sub-agents, if a limit stopped them with it. */
  readonly tasks?: readonly TaskProgress[];
}
