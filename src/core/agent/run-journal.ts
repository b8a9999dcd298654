import type { Projection } from "../context/projection.ts";
import type { Message } from "../protocol/messages.ts";
import type { ToolResult } from "../protocol/tool-result.ts";
import type { Usage } from "../protocol/usage.ts";
import type { StopReason } from "../providers/provider.ts";
import type { WriteIntent } from "../tool.ts";

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
  callBegun(callId: string): Promise<void>;
  /** What the session's newest result of a tool carried; null when there is none. */
  carried(toolName: string): Promise<string | null>;
  callIntends(callId: string, intent: WriteIntent): Promise<void>;
  callEnded(callId: string, result: ToolResult, durationMs: number): Promise<void>;
  /** Appends the user message that carries the turn's tool results. */
  toolResults(turn: number, message: Message): Promise<void>;
  /** Appends the user message that asks for the rest of the turn's response, which the output limit cut off. */
  resumed(turn: number, message: Message): Promise<void>;
  /** From here on the run calls another model: `provider/model`. */
  modelSwitched(model: string): Promise<void>;
  /** Requests carry less of the history from here on; `spent` is what a summary has cost. */
  projected(projection: Projection, spent: SummaryCost | null): Promise<void>;
  /** Messages that people sent meanwhile, appended to the history; empty when there are none. */
  takeSteering(turn: number): Promise<Steering>;
}

export interface Steering {
  readonly messages: readonly Message[];
  /** Of the events that address the agent. */
  readonly eventKeys: readonly string[];
}

export interface JournalledResponse {
  readonly turn: number;
  readonly message: Message;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly model: string;
}

/** `usage` is null when the provider charges nothing. `model` is `provider/model`. */
export interface FailedCall {
  readonly model: string;
  readonly usage: Usage | null;
  readonly costUsd: number | null;
}

/** The model call behind a summary. `model` is `provider/model`. */
export type SummaryCost = Pick<JournalledResponse, "usage" | "costUsd" | "model" | "stopReason">;

export interface CallRecord {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  readonly status: "pending" | "begun" | "ended";
  readonly intent: WriteIntent | null;
  readonly result: ToolResult | null;
}

export interface RunState {
  /** The session's whole history, oldest first, this run's messages at its end. */
  readonly messages: readonly Message[];
  /** Model calls of this run that are journalled. */
  readonly turns: number;
  readonly lastStopReason: StopReason | null;
  /** How many responses in a row the output limit has cut off; a turn with tools begins the count anew. */
  readonly cuts: number;
  /** The model the run has switched to (`provider/model`), null while it calls its own. */
  readonly switchedTo: string | null;
  /** What requests carry in place of parts of the history. */
  readonly projection: Projection;
  /** This run has made a summary, or tried to. */
  readonly hasSummarised: boolean;
  /**
   * Tokens of the session's newest request and its response, and how many of the messages they cover; null when requests
   * carry something else by now.
   */
  readonly lastMeasured: { readonly tokens: number; readonly messages: number } | null;
  /** The calls of the newest assistant message, in call order. */
  readonly calls: readonly CallRecord[];
  readonly usage: Usage;
  /** Null as soon as one call's price is unknown. */
  readonly costUsd: number | null;
  /** Tool calls of this run that ended. */
  readonly toolsRun: number;
  /** sha256 by path, as the session's tool calls left the files. */
  readonly knownFiles: ReadonlyMap<string, string>;
  readonly changedFiles: readonly string[];
}
