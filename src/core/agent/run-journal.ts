import type { WriteIntent } from "../events/call-record.ts";
import type { Projection } from "../events/projection.ts";
import type { Message } from "../protocol/messages.ts";
import type { ToolResult } from "../protocol/tool-result.ts";
import type { Usage } from "../protocol/usage.ts";
import type { LabelledFile } from "../trust/file-labels.ts";
import type { JournalledResponse, RunState } from "./run-state.ts";

/**
 * The loop's durable memory. Each method is one transaction that is committed when it resolves, so a
 * run that is cut anywhere goes on from `load()`: the history's end tells what comes next.
 */
export interface RunJournal {
  load(): Promise<RunState>;
  /** The response, its usage, and a pending call for each tool_use block. `model` is `provider/model`. */
  modelResponded(response: JournalledResponse): Promise<void>;
  /** A model call came to nothing: what it is charged all the same. Whatever was reserved for it is free. */
  callFailed(call: FailedCall): Promise<void>;
  callBegun(callId: string, mark: CallMark): Promise<void>;
  /** The state that a tool has left in the session; null when there is none. */
  toolState(toolName: string): Promise<string | null>;
  /** Files of a sandbox root that were written with words of others, as they were when the run first asked. */
  labelledFiles(root: string): Promise<readonly LabelledFile[]>;
  callIntends(callId: string, intent: WriteIntent): Promise<void>;
  callEnded(callId: string, result: ToolResult, end: CallEnding): Promise<void>;
  /** A user message that carries the turn's tool results, or asks for the rest of a response that was cut off. */
  appended(message: Message): Promise<void>;
  /** From here on the run calls another model: `provider/model`. */
  modelSwitched(model: string): Promise<void>;
  /** Requests carry less of the history from here on; `spent` is what a summary has cost. */
  projected(projection: Projection, spent: SummaryCost | null): Promise<void>;
  /** Messages that people sent meanwhile, appended to the history; empty when there are none. */
  takeSteering(turn: number): Promise<Steering>;
}

/** Files beneath a sandbox root. */
export interface FilesOfRoot {
  readonly root: string;
  readonly files: readonly LabelledFile[];
}

export interface CallMark {
  /** Nothing is lost should the process die before the journal's next write: the results follow at once, or it may run again. */
  readonly mayWait: boolean;
}

export interface CallEnding extends CallMark {
  readonly durationMs: number;
  /** Files that it has written with words of others; none when left out. */
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
