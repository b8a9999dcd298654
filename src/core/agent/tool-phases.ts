import { boundResult } from "../context/tool-result-bounds.ts";
import type { CallRecord } from "../events/call-record.ts";
import { isFinder } from "../permissions/finders.ts";
import { planRefusal } from "../permissions/plan-mode.ts";
import { isDatabaseUnavailable } from "../protocol/database-failure.ts";
import type { ParkedOn, QueryEvent } from "../protocol/events.ts";
import { type Message, type ToolUseBlock, toolUsesOf } from "../protocol/messages.ts";
import type { Plan } from "../protocol/plan.ts";
import { CancelSignal } from "../protocol/signals.ts";
import type { ToolResult } from "../protocol/tool-result.ts";
import { toolsOfRun } from "../skills/skill-narrowing.ts";
import { type CallPreview, type CallRefusal, plainPreview, type Tool } from "../tool.ts";
import type { KnownContent } from "../trust/egress.ts";
import type { CallVerdict } from "./approval-service.ts";
import { knownContent } from "./egress/known-content.ts";
import type { Loop } from "./loop.ts";
import { mergeEvents } from "./merge-events.ts";
import { labelled, markUnseenChanges, runCall, toolContext } from "./tool-call.ts";
import {
  type AllowedCall,
  type AskDecision,
  type Decision,
  decide,
  ownErrorResult,
  type RefuseDecision,
  refuseCall,
} from "./tool-decision.ts";

/**
 * Runs the calls of an assistant message. First all calls are decided, by people where approval is needed, and refused
 * calls get their error results. Then the allowed calls run: neighbouring parallel calls together, every other call
 * alone, in call order. Once the signal has aborted, no further call begins, and unfinished calls stay open. Throws the
 * signal's reason if that suspends the run, and what the journal throws. Returns what the run must wait for, or null.
 */
export async function* runCalls(
  loop: Loop,
  message: Message,
  signal: AbortSignal,
): AsyncGenerator<QueryEvent, ParkedOn | null> {
  const plan = await loop.query.plan();
  const { messages, turns, knownFiles, label } = loop.run.state;
  const skillTools = toolsOfRun(messages, turns);
  let known: KnownContent | null = null;
  const request = { label, known: () => (known ??= knownContent(messages, loop.rules.tools)) };
  const rules = { ...loop.rules, environment: { ...loop.rules.environment, knownFiles }, request };
  const decisions = openCalls(loop, message).map(({ use, record }) => {
    return withinPlan(withinSkills(decide(use, record, rules), skillTools), plan, message);
  });
  const decided = await settleAsked(loop, decisions, signal);
  if (decided === null) return signal.aborted ? null : "approval";
  const allowed: AllowedCall[] = [];
  for (const decision of decided) {
    if (decision.type === "refuse") yield* refuse(loop, decision);
    else allowed.push(decision);
  }
  yield* reportInterrupted(decided);
  for (const batch of batches(allowed)) {
    yield* runBatch(loop, batch, signal);
    // A waiting call blocks the calls after it, as it would while running.
    if (!signal.aborted && batch.some(({ use }) => isOpen(loop, use))) return "call";
  }
  return null;
}

/**
 * Refuses new calls of tools outside those of the skills that the model has called in this run. The offered tools stay
 * the same, as in plan mode, so that the prompt cache's prefix holds.
 */
function withinSkills(decision: Decision, tools: readonly string[] | null): Decision {
  const { name } = decision.use;
  if (tools === null || !isNew(decision) || name === "skill" || isFinder(name) || tools.includes(name)) return decision;
  const list = tools.join(", ") || "none";
  return refuseCall(
    decision.use,
    decision.title,
    `Not run: the skill you follow allows only these tools: ${list}. If ${name} is needed, say so and end your turn.`,
  );
}

function isNew(decision: Decision): decision is AskDecision | Extract<Decision, { type: "run" }> {
  return decision.type === "ask" || (decision.type === "run" && decision.begins);
}

/** Refuses calls that would change or run something while plan mode is on, unless they have already begun. */
function withinPlan(decision: Decision, plan: Plan | null, message: Message): Decision {
  if (!isNew(decision)) return decision;
  const uses = toolUsesOf(message.content);
  const at = uses.findIndex(({ id }) => id === decision.use.id);
  const before = uses.slice(0, at).map(({ name }) => name);
  const reason = planRefusal(plan, decision.tool, before);
  return reason === null ? decision : refuseCall(decision.use, decision.title, reason);
}

type Decided = RefuseDecision | AllowedCall;

/** Gets people's decisions on all of a turn's calls before any of them runs. Null while they have not decided. */
async function settleAsked(loop: Loop, decisions: readonly Decision[], signal: AbortSignal): Promise<Decided[] | null> {
  const asked = decisions.filter((decision) => decision.type === "ask");
  const { query, run } = loop;
  const questions = asked.map((ask) => {
    let seen: ReturnType<typeof previewOf> | undefined;
    return { ...ask, preview: () => (seen ??= previewOf(loop, ask, signal)) };
  });
  const verdicts =
    asked.length === 0 ? NO_VERDICTS : await query.approvals.verdicts(run.state.turns, questions, run.state);
  if (verdicts === null) return null;
  return decisions.map((decision): Decided => {
    if (decision.type !== "ask") return decision;
    const { use, title, tool } = decision;
    const verdict = verdicts.get(use.id) ?? NOT_ASKED;
    if (verdict.type === "denied") return refuseCall(use, title, verdict.reason);
    return { type: "run", use, title, tool, begins: true, approved: true, previewDigest: verdict.previewDigest };
  });
}

/** The preview for the card. A call whose preview fails is not run, and the run continues. */
async function previewOf(
  loop: Loop,
  { use, tool, title }: AskDecision,
  signal: AbortSignal,
): Promise<CallPreview | CallRefusal> {
  if (tool.preview === undefined) return plainPreview(use, title);
  const { journal, log } = loop.query;
  const toolState = tool.keepsState === true ? await journal.toolState(use.name) : null;
  try {
    return await tool.preview(use.input, toolContext(loop, { use, approved: false, toolState }), signal);
  } catch (error) {
    if (signal.aborted || isDatabaseUnavailable(error)) throw error;
    log.error({ err: error, tool: use.name, callId: use.id }, "tool_preview_failed");
    const why = error instanceof Error ? error.message : String(error);
    return { refused: `Not run: what it would do cannot be shown to people (${why}).` };
  }
}

const NO_VERDICTS: ReadonlyMap<string, CallVerdict> = new Map();
const NOT_ASKED: CallVerdict = { type: "denied", reason: "Not run: nobody was asked." };

function isOpen({ run }: Loop, use: ToolUseBlock): boolean {
  return run.state.calls.some((call) => call.callId === use.id && call.status !== "ended");
}

/** Ends every unfinished call with an error result, without running it. */
export async function skipCalls(loop: Loop, reason: string, signal: AbortSignal): Promise<void> {
  for (const call of loop.run.state.calls) {
    if (call.status === "ended") continue;
    const result = call.status === "begun" ? await begunResult(loop, { call, reason }, signal) : ownErrorResult(reason);
    await loop.run.callEnded(call.callId, result, NOT_RUN);
  }
}

/** The result of a call that had begun: the tool's own account of what it has done, if it can give one. */
async function begunResult(
  { query, run, rules }: Loop,
  { call, reason }: { readonly call: CallRecord; readonly reason: string },
  signal: AbortSignal,
): Promise<ToolResult> {
  const tool = rules.tools.find(({ name }) => name === call.name);
  const known = markUnseenChanges(
    ownErrorResult(`${reason} It had started; anything it had already done remains.`),
    tool,
  );
  const describePartialWork = tool?.describePartialWork;
  if (describePartialWork === undefined || !(signal.reason instanceof CancelSignal)) return known;
  const ctx = toolContext({ query, run }, { use: { id: call.callId }, approved: false, toolState: null });
  try {
    return labelled(boundResult(await describePartialWork(call.input, ctx, signal)), tool, call.input);
  } catch (error) {
    query.log.error({ err: error, tool: call.name, callId: call.callId }, "tool_account_failed");
    return known;
  }
}

const NOT_RUN = { durationMs: 0, mayRepeat: false };

function openCalls({ run }: Loop, message: Message) {
  return toolUsesOf(message.content)
    .map((use) => ({ use, record: run.state.calls.find((call) => call.callId === use.id) }))
    .filter(({ record }) => record?.status !== "ended");
}

async function* refuse({ run }: Loop, { use, title, result }: RefuseDecision): AsyncGenerator<QueryEvent, void> {
  await run.callEnded(use.id, result, NOT_RUN);
  yield { type: "tool_start", toolId: use.id, toolName: use.name, input: use.input, title };
  yield { type: "tool_end", toolId: use.id, toolName: use.name, result, durationMs: 0 };
}

function* reportInterrupted(decisions: readonly Decided[]): Generator<QueryEvent, void> {
  const names = decisions
    .filter((decision) => decision.type === "refuse" && decision.interrupted)
    .map(({ use, title }) => `\`${title === "" ? use.name : title}\``);
  if (names.length === 0) return;
  const text = `⚠ I was restarted and went on from where I was. ${names.join(", ")} had begun; I did not run it again.`;
  yield { type: "status", text };
}

/** Groups neighbouring parallel calls into batches. Any other call is a barrier and a batch of its own. */
function batches<C extends { readonly tool: Pick<Tool, "parallel"> }>(calls: readonly C[]): C[][] {
  const result: C[][] = [];
  for (const call of calls) {
    const last = result.at(-1);
    if (call.tool.parallel && last?.[0]?.tool.parallel === true) last.push(call);
    else result.push([call]);
  }
  return result;
}

function runBatch(loop: Loop, batch: readonly AllowedCall[], signal: AbortSignal): AsyncGenerator<QueryEvent> {
  return mergeEvents<QueryEvent>(async (emit, batchSignal) => {
    const siblings = new AbortController();
    const callSignal = AbortSignal.any([batchSignal, siblings.signal]);
    const ends = await Promise.allSettled(
      batch.map(async (call) => {
        try {
          await runCall({ ...loop, call, emit }, callSignal);
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
