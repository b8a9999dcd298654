import { nextCutCount } from "../context/resume.ts";
import type { CallRecord, WriteIntent } from "../events/call-record.ts";
import type { Projection } from "../events/projection.ts";
import { assertNever } from "../protocol/assert-never.ts";
import { labelOf, type Message, toolUsesOf } from "../protocol/messages.ts";
import { type FileState, isKeptOutput, type ToolResult } from "../protocol/tool-result.ts";
import { addUsage, NO_USAGE, sumOfCosts, tokensOf, type Usage } from "../protocol/usage.ts";
import type { StopReason } from "../providers/provider.ts";
import { type Label, UNKNOWN_LABEL, unionOf } from "../trust/label.ts";

/** The state of a run. It is the same whether it was built up live or loaded from the journal. */
export interface RunState {
  /** The session's whole history, oldest first, with this run's messages at its end. */
  readonly messages: readonly Message[];
  /** The label of everything that requests carry, including what a summary replaced. It only ever grows. */
  readonly label: Label;
  /** Number of this run's journalled model calls. */
  readonly turns: number;
  readonly lastStopReason: StopReason | null;
  /** Number of consecutive responses that the output limit cut off. A turn with tools resets it. */
  readonly cuts: number;
  /** The model that the run has switched to, as `provider/model`; null while it uses its own. */
  readonly switchedTo: string | null;
  /** What requests carry in place of parts of the history. */
  readonly projection: Projection;
  /** Whether this run has made a summary or tried to. */
  readonly hasSummarised: boolean;
  /**
   * Token count of the session's newest request and its response, and how many messages they cover. Null if the
   * projection has changed since.
   */
  readonly lastMeasured: { readonly tokens: number; readonly messages: number } | null;
  /** The calls of the newest assistant message, in call order. */
  readonly calls: readonly CallRecord[];
  readonly usage: Usage;
  /** Null once the price of any call is unknown. */
  readonly costUsd: number | null;
  /** Number of tool calls that this run's model has requested. */
  readonly callsAsked: number;
  /** Number of this run's tool calls that have ended. */
  readonly toolsRun: number;
  /** sha256 of files by path, as the session's tool calls last saw them. */
  readonly knownFiles: ReadonlyMap<string, string>;
  /** Paths of changed files, in order of first change. */
  readonly changedFiles: readonly string[];
}

/** What a model call or a summary was charged. */
export interface Charge {
  readonly usage: Usage;
  readonly costUsd: number | null;
}

export interface JournalledResponse extends Charge {
  readonly turn: number;
  readonly message: Message;
  readonly stopReason: StopReason;
  readonly model: string;
}

/** A step of a run's journal. Replaying the steps in order yields the state. */
export type RunStep =
  | { readonly type: "responded"; readonly response: Pick<JournalledResponse, "message" | "stopReason"> & Charge }
  | { readonly type: "appended"; readonly messages: readonly Message[] }
  | { readonly type: "switched"; readonly model: string }
  /** A failed model call that was charged nevertheless. */
  | { readonly type: "cut"; readonly spent: Charge }
  | { readonly type: "projected"; readonly projection: Projection }
  | { readonly type: "summarised"; readonly spent: Charge }
  | { readonly type: "call_begun"; readonly callId: string }
  | { readonly type: "call_intends"; readonly callId: string; readonly intent: WriteIntent }
  | { readonly type: "call_ended"; readonly callId: string; readonly result: ToolResult };

/** The session's state before the run. */
export type RunStart = Pick<RunState, "messages" | "projection" | "lastMeasured" | "knownFiles">;

export function startOfRun(start: RunStart): RunState {
  const { messages, projection } = start;
  return {
    ...start,
    label: unionOf([
      labelOf(messages),
      ...(projection.summary === null ? [] : [projection.summary.label ?? UNKNOWN_LABEL]),
    ]),
    turns: 0,
    lastStopReason: null,
    cuts: 0,
    switchedTo: null,
    hasSummarised: false,
    calls: [],
    usage: NO_USAGE,
    costUsd: 0,
    callsAsked: 0,
    toolsRun: 0,
    changedFiles: [],
  };
}

export function reduceRun(state: RunState, step: RunStep): RunState {
  switch (step.type) {
    case "responded":
      return responded(state, step.response);
    case "appended":
      return {
        ...state,
        messages: [...state.messages, ...step.messages],
        label: unionOf([state.label, labelOf(step.messages)]),
      };
    case "switched":
      return { ...state, switchedTo: step.model };
    case "cut":
      return { ...state, ...spentWith(state, step.spent) };
    case "projected":
      return { ...state, projection: step.projection, lastMeasured: null };
    case "summarised":
      return { ...state, ...spentWith(state, step.spent), hasSummarised: true };
    case "call_begun":
      return withCall(state, step.callId, { status: "begun" });
    case "call_intends":
      return withCall(state, step.callId, { intent: step.intent });
    case "call_ended":
      return ended(state, step.callId, step.result);
    default:
      return assertNever(step);
  }
}

function responded(state: RunState, response: Extract<RunStep, { type: "responded" }>["response"]): RunState {
  const { message, stopReason, usage } = response;
  const { messages, turns, cuts } = state;
  const calls = toolUsesOf(message.content);
  return {
    ...state,
    ...spentWith(state, response),
    messages: [...messages, message],
    label: unionOf([state.label, labelOf([message])]),
    turns: turns + 1,
    lastStopReason: stopReason,
    cuts: nextCutCount(cuts, stopReason),
    callsAsked: state.callsAsked + calls.length,
    calls: calls.map(({ id, name, input }) => {
      return { callId: id, name, input, status: "pending", intent: null, result: null };
    }),
    lastMeasured: { tokens: tokensOf(usage), messages: messages.length + 1 },
  };
}

function ended(state: RunState, callId: string, result: ToolResult): RunState {
  const files = result.files ?? [];
  return {
    ...withCall(state, callId, { status: "ended", result }),
    toolsRun: state.toolsRun + 1,
    knownFiles: updateKnownFiles(state.knownFiles, files),
    changedFiles: [...new Set([...state.changedFiles, ...changedFiles(files)])],
  };
}

function withCall(state: RunState, callId: string, change: Partial<CallRecord>): RunState {
  const calls = state.calls.map((call) => (call.callId === callId ? { ...call, ...change } : call));
  return { ...state, calls };
}

/** The total becomes unknown as soon as one price is unknown. */
function spentWith(state: RunState, { usage, costUsd }: Charge): Pick<RunState, "usage" | "costUsd"> {
  const cost = sumOfCosts([state.costUsd, costUsd]);
  return { usage: addUsage(state.usage, usage), costUsd: cost };
}

/** The known files after calls have read, written or removed some. `files` is oldest first. */
export function updateKnownFiles(
  known: ReadonlyMap<string, string>,
  files: readonly FileState[],
): ReadonlyMap<string, string> {
  if (files.length === 0) return known;
  const after = new Map(known);
  for (const { path, sha256, sealed = false } of files) {
    if (sha256 === null || sealed) after.delete(path);
    else after.set(path, sha256);
  }
  return after;
}

/** Paths of changed files in order of first change, without the kept output of programs. */
export function changedFiles(files: readonly FileState[]): string[] {
  const changed = files.filter(({ action, path }) => action === "wrote" && !isKeptOutput(path));
  return [...new Set(changed.map(({ path }) => path))];
}
