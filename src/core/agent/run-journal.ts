import type { WriteIntent } from "../events/call-record.ts";
import type { Projection } from "../events/projection.ts";
import type { Message } from "../protocol/messages.ts";
import type { ToolResult } from "../protocol/tool-result.ts";
import type { Usage } from "../protocol/usage.ts";
import type { LabelledFile } from "../trust/file-labels.ts";
import type { JournalledResponse, RunState } from "./run-state.ts";

/**
 * The durable memory of the loop. Each method is one transaction, committed when it resolves, so a run that is
 * interrupted anywhere continues from `load()`.
 */
export interface RunJournal {
  load(): Promise<RunState>;
  /** Records the response, its usage, and a pending call for each tool_use block. `model` is `provider/model`. */
  modelResponded(response: JournalledResponse): Promise<void>;
  /** Records what a failed model call cost, and releases its reservation. */
  callFailed(call: FailedCall): Promise<void>;
  callBegun(callId: string, mark: CallMark): Promise<void>;
  /** The state that a tool left in the session; null if there is none. */
  toolState(toolName: string): Promise<string | null>;
  /**
   * Labelled files beneath a sandbox root: those written under other people's words. The list is as it was when the run
   * first asked.
   */
  labelledFiles(root: string): Promise<readonly LabelledFile[]>;
  callIntends(callId: string, intent: WriteIntent): Promise<void>;
  callEnded(callId: string, result: ToolResult, end: CallEnding): Promise<void>;
  /**
   * Appends a user message with the turn's tool results, or one that asks for the rest of a response that was cut off.
   */
  appended(message: Message): Promise<void>;
  /** Records that the run calls another model from now on, given as `provider/model`. */
  modelSwitched(model: string): Promise<void>;
  /** Records that requests carry less of the history from now on. `spent` is the cost of a summary. */
  projected(projection: Projection, spent: SummaryCost | null): Promise<void>;
  /** Appends messages that people have sent meanwhile to the history and returns them; empty if there are none. */
  takeSteering(turn: number): Promise<Steering>;
}

export interface FilesOfRoot {
  readonly root: string;
  readonly files: readonly LabelledFile[];
}

export interface CallMark {
  /**
   * Whether the write may be combined with the journal's next one. A crash before that loses nothing, because the
   * results follow at once or the call may run again.
   */
  readonly mayWait: boolean;
}

export interface CallEnding extends CallMark {
  readonly durationMs: number;
  /** Files that the call wrote under other people's words; absent if none. */
  readonly labelled?: FilesOfRoot;
}

export interface Steering {
  readonly messages: readonly Message[];
  /** Keys of the events that address the agent. */
  readonly eventKeys: readonly string[];
}

/** `usage` is null when the provider charges nothing. `model` is `provider/model`. */
export interface FailedCall {
  readonly model: string;
  readonly usage: Usage | null;
  readonly costUsd: number | null;
}

/** The model call behind a summary. `model` is `provider/model`. */
export type SummaryCost = Pick<JournalledResponse, "usage" | "costUsd" | "model" | "stopReason">;
