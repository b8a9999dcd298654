import { z } from "zod";
import { type RunState, type RunStep, reduceRun, startOfRun, updateKnownFiles } from "../agent/run-state.ts";
import type { TurnContext } from "../engine/engine.ts";
import { WHOLE_HISTORY } from "../events/projection.ts";
import type { Message } from "../protocol/messages.ts";
import { tokensOf } from "../protocol/usage.ts";
import type { TurnUsage } from "../store/ledger/usage.ts";
import type { ToolCallRow } from "../store/run/tool-calls.ts";
import type { Store } from "../store/store.ts";

export interface LoadedRun {
  readonly id: string;
  readonly sessionId: string;
  /** Whether the run began in an earlier wake. */
  readonly resumed: boolean;
  /** Whether the session has no other run. */
  readonly isFirst: boolean;
}

type Earlier = Pick<TurnContext, "earlier" | "history">;

export const SWITCHED_MODEL_KEY = "model";

/** Rebuilds a run's state from its journal: the session's state before the run, and then each of the run's steps. */
export async function loadRun(store: Store, context: Earlier, run: LoadedRun): Promise<RunState> {
  const own = context.history();
  if (run.isFirst && own !== null) return reduceRun(startOfRun(NOTHING_BEFORE), { type: "appended", messages: own });
  const [{ before, ofRun }, files, compaction, newest, steps] = await Promise.all([
    store.messages.split(run.sessionId, run.id),
    store.toolCalls.filesBefore(run.sessionId, run.id),
    store.compactions.newestOf(run.sessionId),
    store.usage.newestTurn(run.sessionId),
    run.resumed ? loadSteps(store, context, run.id) : NO_STEPS,
  ]);
  // The projection has changed since the newest request, so its measured size no longer holds.
  const isShortened = newest !== null && (compaction.at ?? 0) >= newest.at;
  const covered = before.findLastIndex(({ role }) => role === "assistant") + 1;
  const start = startOfRun({
    messages: before,
    projection: compaction.projection,
    knownFiles: updateKnownFiles(new Map(), files),
    lastMeasured: newest === null || isShortened ? null : { tokens: tokensOf(newest.usage), messages: covered },
  });
  const state = [...stepsOf(ofRun, steps)].reduce(reduceRun, start);
  return isShortened ? { ...state, lastMeasured: null } : state;
}

const NOTHING_BEFORE = {
  messages: [],
  projection: WHOLE_HISTORY,
  lastMeasured: null,
  knownFiles: new Map<string, string>(),
};

interface StoredSteps {
  readonly calls: readonly ToolCallRow[];
  /** Usage of the run's model calls, in the order of storage. */
  readonly usage: readonly TurnUsage[];
  readonly switchedTo: string | null;
}

const NO_STEPS: StoredSteps = { calls: [], usage: [], switchedTo: null };

async function loadSteps(store: Store, context: Earlier, runId: string): Promise<StoredSteps> {
  const [calls, usage, switched] = await Promise.all([
    store.toolCalls.ofRun(runId),
    store.usage.turnsOf(runId),
    context.earlier(SWITCHED_MODEL_KEY),
  ]);
  return { calls, usage, switchedTo: z.string().optional().parse(switched.value) ?? null };
}

/**
 * Yields a run's steps in their original order. Costs of summaries and failed calls have no position in the history and
 * come first.
 */
function* stepsOf(messages: readonly Message[], { calls, usage, switchedTo }: StoredSteps): Generator<RunStep> {
  if (switchedTo !== null) yield { type: "switched", model: switchedTo };
  for (const spent of usage) {
    if (spent.turn < 0) yield { type: "summarised", spent };
    if (spent.turn === 0) yield { type: "cut", spent };
  }
  let turn = 0;
  for (const call of calls) if (call.turn === turn) yield* stepsOfCall(call);
  for (const message of messages) {
    const spent = message.role === "assistant" ? usage.find((each) => each.turn === turn + 1) : undefined;
    if (spent === undefined || spent.stopReason === null) {
      yield { type: "appended", messages: [message] };
      continue;
    }
    turn += 1;
    yield { type: "responded", response: { ...spent, message, stopReason: spent.stopReason } };
    for (const call of calls) if (call.turn === turn) yield* stepsOfCall(call);
  }
}

function* stepsOfCall({ callId, status, intent, result }: ToolCallRow): Generator<RunStep> {
  if (status !== "pending") yield { type: "call_begun", callId };
  if (intent !== null) yield { type: "call_intends", callId, intent };
  if (status === "ended" && result !== null) yield { type: "call_ended", callId, result };
}
