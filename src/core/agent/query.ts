import { withRepeatHints } from "../budget/repeated-calls.ts";
import { withFreshCallIds } from "../context/call-ids.ts";
import { resumeMessage, unfinishedReply } from "../context/resume.ts";
import { resolveUseToolCalls } from "../context/use-tool.ts";
import { assertNever } from "../protocol/assert-never.ts";
import type { ParkedOn, QueryEnd, QueryEvent } from "../protocol/events.ts";
import { type ContentBlock, type Message, type ToolResultBlock, toolUsesOf } from "../protocol/messages.ts";
import type { ResolvedModel } from "../providers/provider.ts";
import { UNKNOWN_LABEL, unionOf } from "../trust/label.ts";
import { fitContext, shortenContext } from "./fit-context.ts";
import { cancelledBy, type Loop, openLoop } from "./loop.ts";
import { type CallEnd, callModel } from "./model-call.ts";
import { nextStep } from "./next-step.ts";
import type { Query } from "./query-input.ts";
import { runCalls, skipCalls } from "./tool-phases.ts";

/**
 * Drives a run to its outcome. The journal is read once; after that, the end of the run's own history determines the
 * next step, so an interrupted run continues like an uninterrupted one. Every step is journalled before its event is
 * yielded. Throws the signal's reason if that suspends the run, which then stays open, and whatever the journal throws.
 * Everything else is an outcome.
 */
export async function* runQuery(query: Query, signal: AbortSignal): AsyncGenerator<QueryEvent, QueryEnd> {
  const loop = await openLoop(query);
  const { run } = loop;
  let hasTurnEnd = false;
  for (;;) {
    const step = nextStep(run.state, { ...loop.bounds, cancelledBy: cancelledBy(signal) });
    switch (step.type) {
      case "call_model": {
        if (hasTurnEnd) yield { type: "turn_end" };
        const called: CallEnd = yield* callTurn(loop, step.turn, signal);
        if (called.type === "failed") return { type: "error", error: called.error };
        if (called.type === "over_budget") return { ...called.outcome, ...unfinishedReply(run.state) };
        hasTurnEnd = called.type === "responded";
        break;
      }
      case "run_calls": {
        const parkedOn: ParkedOn | null = yield* runCalls(loop, step.message, signal);
        if (parkedOn === null) break;
        yield { type: "parked", on: parkedOn };
        return { type: "parked" };
      }
      case "skip_calls":
        await skipCalls(loop, step.reason, signal);
        break;
      case "append_results":
        await run.appended(resultsMessage(loop, step.message, await query.approvals.asked(run.state.turns)));
        break;
      case "resume":
        await run.appended(resumeMessage(query.runtime));
        break;
      case "end":
        if (hasTurnEnd) yield { type: "turn_end" };
        return step.outcome;
      default:
        return assertNever(step);
    }
  }
}

/** Takes in new messages, calls the model, and journals its response before anything else happens. */
async function* callTurn(loop: Loop, turn: number, signal: AbortSignal): AsyncGenerator<QueryEvent, CallEnd> {
  const { query, run, gauge } = loop;
  yield { type: "turn_start", turn };
  const steering = await run.takeSteering(turn);
  if (steering.messages.length > 0) yield { type: "steered", eventKeys: steering.eventKeys };

  yield* fitContext(loop, signal);
  const call = { query, run, requestFor: (resolved: ResolvedModel) => gauge.request(resolved), isShown: true };
  let end: CallEnd = yield* callModel(call, signal);
  while (end.type === "failed" && end.error.code === "context_overflow") {
    const isShorter: boolean = yield* shortenContext(loop, signal);
    if (!isShorter) break;
    end = yield* callModel(call, signal);
  }
  if (end.type !== "responded") return end;
  const { response, usage, costUsd, model } = end;
  const { clock, ids } = query.runtime;
  const message: Message = {
    id: ids.next("msg"),
    role: "assistant",
    content: withFreshCallIds(resolveUseToolCalls(response.content), run.state.messages, ids),
    // The model may have followed what a server's description of a tool says.
    ...(loop.descriptions.who.length > 0 && { label: loop.descriptions }),
    createdAt: clock.now(),
  };
  const { stopReason } = response;
  gauge.learn(response.usage);
  await run.modelResponded({ turn, message, stopReason, usage, costUsd, model });
  query.log.info({ turn, model: response.model, stopReason, usage, costUsd }, "model_responded");
  return end;
}

/** The user message that carries the results of a response's calls, in call order. */
function resultsMessage({ query, run }: Loop, response: Message, asked: readonly ContentBlock[]): Message {
  const results = new Map(run.state.calls.map((call) => [call.callId, call.result]));
  const uses = toolUsesOf(response.content);
  const blocks = uses.map((use): ToolResultBlock => {
    const { content: parts = [], isError = true, narrowsTo } = results.get(use.id) ?? {};
    return { type: "tool_result", toolUseId: use.id, content: parts, isError, ...(narrowsTo && { narrowsTo }) };
  });
  const content = withRepeatHints(run.state, uses, blocks);
  const label = unionOf(uses.map(({ id }) => results.get(id)?.label ?? UNKNOWN_LABEL));
  const { clock, ids } = query.runtime;
  return { id: ids.next("msg"), role: "user", content: [...content, ...asked], label, createdAt: clock.now() };
}
