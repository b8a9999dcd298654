import type { QueryEvent } from "../protocol/events.ts";
import { type Message, type ToolUseBlock, toolUsesOf } from "../protocol/messages.ts";
import type { Tool } from "../tool.ts";
import { eventsOf } from "./merge-events.ts";
import type { OpenRun } from "./open-run.ts";
import type { Query } from "./query-input.ts";
import { runCall } from "./tool-call.ts";
import { type AllowedCall, type Decision, decide, type ToolRules } from "./tool-decision.ts";

export interface TurnCalls {
  readonly query: Query;
  readonly run: OpenRun;
  readonly rules: ToolRules;
  /** The assistant message that holds the calls. */
  readonly message: Message;
}

/**
 * Brings a turn's calls to their ends: first every call is decided and the refused ones get their error
 * results, then the allowed ones run — parallel ones together, the others alone and in their place. Once the
 * signal has aborted no further call begins, and calls are left that have not ended. Throws the signal's reason when it
 * suspends, and what the journal throws.
 */
export async function* runCalls(calls: TurnCalls, signal: AbortSignal): AsyncGenerator<QueryEvent, void> {
  const decisions = openCalls(calls).map(({ use, record }) => decide(use, record, calls.rules));
  const allowed: AllowedCall[] = [];
  for (const decision of decisions) {
    if (decision.type === "refuse") yield* refuse(calls, decision);
    else allowed.push(decision);
  }
  yield* tellInterrupted(decisions);
  for (const batch of batches(allowed)) yield* runBatch(calls, batch, signal);
}

/** Ends the calls that have no result yet with an error result, without running them. */
export async function skipCalls(run: OpenRun, reason: string): Promise<void> {
  for (const call of run.state.calls) {
    if (call.status === "ended") continue;
    const text = call.status === "begun" ? `${reason} It had begun; what it had done until then stays.` : reason;
    await run.callEnded(call.callId, { content: [{ type: "text", text }], isError: true }, 0);
  }
}

function openCalls({ message, run }: TurnCalls) {
  return toolUsesOf(message.content)
    .map((use) => ({ use, record: run.state.calls.find((call) => call.callId === use.id) }))
    .filter(({ record }) => record?.status !== "ended");
}

async function* refuse(
  { run }: TurnCalls,
  { use, title, result }: Extract<Decision, { type: "refuse" }>,
): AsyncGenerator<QueryEvent, void> {
  await run.callEnded(use.id, result, 0);
  yield toolStart(use, title);
  yield { type: "tool_end", toolId: use.id, toolName: use.name, result, durationMs: 0 };
}

function* tellInterrupted(decisions: readonly Decision[]): Generator<QueryEvent, void> {
  const names = decisions
    .filter((decision) => decision.type === "refuse" && decision.interrupted)
    .map(({ use, title }) => `\`${title === "" ? use.name : title}\``);
  if (names.length === 0) return;
  const text = `⚠ I was restarted and went on from where I was. ${names.join(", ")} had begun; I did not run it again.`;
  yield { type: "status", text };
}

/** Neighbouring parallel calls form one batch; any other call is a barrier, a batch of its own. */
function batches<C extends { readonly tool: Pick<Tool, "parallel"> }>(calls: readonly C[]): C[][] {
  const result: C[][] = [];
  let open: C[] | null = null;
  for (const call of calls) {
    if (call.tool.parallel && open !== null) {
      open.push(call);
      continue;
    }
    const batch = [call];
    result.push(batch);
    open = call.tool.parallel ? batch : null;
  }
  return result;
}

function runBatch(calls: TurnCalls, batch: readonly AllowedCall[], signal: AbortSignal): AsyncGenerator<QueryEvent> {
  return eventsOf<QueryEvent>(async (emit, batchSignal) => {
    const siblings = new AbortController();
    const callSignal = AbortSignal.any([batchSignal, siblings.signal]);
    const ends = await Promise.allSettled(
      batch.map(async (call) => {
        try {
          await runCall({ ...calls, call, emit }, callSignal);
        } catch (error) {
          siblings.abort(error);
          throw error;
        }
      }),
    );
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }, signal);
}

function toolStart(use: ToolUseBlock, title: string): QueryEvent {
  return { type: "tool_start", toolId: use.id, toolName: use.name, input: use.input, title };
}
