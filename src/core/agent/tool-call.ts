import { boundResult } from "../context/tool-result-bounds.ts";
import { causeText } from "../protocol/cancel-cause.ts";
import { isDatabaseUnavailable } from "../protocol/database-failure.ts";
import { AppError, toAppError } from "../protocol/errors.ts";
import type { QueryEvent } from "../protocol/events.ts";
import { explain, withRef } from "../protocol/explain.ts";
import { type ToolUseBlock, textOf } from "../protocol/messages.ts";
import type { Clock } from "../protocol/runtime.ts";
import { CancelSignal, SuspendSignal } from "../protocol/signals.ts";
import { errorResult, type ToolResult } from "../protocol/tool-result.ts";
import { narrowTools, toolsOfRun } from "../skills/skill-narrowing.ts";
import { plainLine } from "../text/plain-text.ts";
import type { Tool, ToolContext } from "../tool.ts";
import { labelForFiles, labelOfFiles } from "../trust/file-labels.ts";
import { EMPTY_LABEL, type Label, UNKNOWN_LABEL, unionOf } from "../trust/label.ts";
import { contextWindowOf } from "./context-gauge.ts";
import { knownContent } from "./egress/known-content.ts";
import type { QueryRun } from "./query-input.ts";
import type { CallEnding } from "./run-journal.ts";
import type { AllowedCall } from "./tool-decision.ts";

/** Milliseconds after an abort until a call that ignores it is abandoned. A stop has to take effect within a second. */
const ABORT_GRACE_MS = 800;
/** Maximum length of a failed call's text in the log, in characters. */
const MAX_WHY = 200;

interface RunningCall extends QueryRun {
  readonly call: AllowedCall;
  readonly emit: (event: QueryEvent) => void;
}

/**
 * Runs one allowed call. Its begin and end are journalled before their events are emitted; a call that waits for
 * something stays begun. Does nothing if the signal has already aborted. Throws only suspensions, journal failures, and
 * failures of an unreachable database.
 */
export async function runCall(running: RunningCall, signal: AbortSignal): Promise<void> {
  const { query, run, call, emit } = running;
  const { use, title } = call;
  const { clock } = query.runtime;
  if (signal.aborted) return;
  const repeats = { mayRepeat: mayRepeat(call.tool) };
  if (call.type === "run" && call.begins) await run.callBegun(use.id, repeats);
  emit({ type: "tool_start", toolId: use.id, toolName: use.name, input: use.input, title });

  const startedAt = clock.now();
  const came = await resultOf(running, signal);
  if (came === null) return;
  const window = (await contextWindowOf(running)) ?? undefined;
  const own = labelled(boundResult(markUnseenChanges(came, call.tool), window), call.tool, use.input);
  const result = await withFileLabels(running, own);
  const durationMs = clock.now() - startedAt;
  await run.callEnded(use.id, result, { durationMs, ...repeats, ...writtenFiles(running, result) });
  const why = result.isError ? { why: plainLine(textOf(result.content), MAX_WHY) } : {};
  logCall(running, { durationMs, isError: result.isError, ...why });
  emit({ type: "tool_end", toolId: use.id, toolName: use.name, result, durationMs });
}

/**
 * Adds the label of a result: whose words it carries and what it holds. Failures are labelled, too, because they may
 * quote such words.
 */
export function labelled(result: ToolResult, tool: Tool | undefined, input: unknown): ToolResult {
  const people = { who: (result.people ?? []).map(({ id }) => id), holds: [] };
  return { ...result, label: unionOf([result.label ?? labelOfSource(tool, input), people]) };
}

function labelOfSource(tool: Tool | undefined, input: unknown): Label {
  if (tool === undefined) return UNKNOWN_LABEL;
  try {
    return tool.brings?.(input) ?? (tool.permission === "none" ? EMPTY_LABEL : { who: [], holds: ["files"] });
  } catch {
    return UNKNOWN_LABEL;
  }
}

/** Adds the labels of the files that the call read, as recorded when the files were written. */
async function withFileLabels({ query, run, call }: RunningCall, result: ToolResult): Promise<ToolResult> {
  const { label = UNKNOWN_LABEL, files = [] } = result;
  if (!label.holds.includes("files")) return result;
  const text = `${JSON.stringify(call.use.input)}\n${textOf(result.content)}`;
  const read = labelOfFiles({ files, text }, await run.labelledFiles(query.sandboxRoot));
  return { ...result, label: unionOf([label, read]) };
}

function writtenFiles(
  { query, run }: RunningCall,
  { label = UNKNOWN_LABEL, files = [] }: ToolResult,
): Pick<CallEnding, "labelled"> {
  const own = labelForFiles(run.state.label, label);
  if (own === null) return {};
  const written = files.flatMap(({ path, sha256, action }) =>
    action === "wrote" && sha256 !== null ? [{ path, sha256, label: own }] : [],
  );
  return written.length === 0 ? {} : { labelled: { root: query.sandboxRoot, files: written } };
}

/** Marks the result of a call whose changes are not visible here as possibly having changed something. */
export function markUnseenChanges(result: ToolResult, tool: Pick<Tool, "changesUnseen"> | undefined): ToolResult {
  return tool?.changesUnseen === true ? { mayHaveChanged: true, ...result } : result;
}

/**
 * Whether a call that a crash interrupts simply runs again. False for calls that resume, and for calls whose changes
 * people must learn about if the run is stopped before it continues.
 */
function mayRepeat({ afterCrash, resume, describePartialWork, changesUnseen }: AllowedCall["tool"]): boolean {
  return afterCrash === "replay" && resume === undefined && describePartialWork === undefined && changesUnseen !== true;
}

function logCall(running: RunningCall, end: { durationMs: number; isError: boolean; why?: string }): void {
  const { use, tool, approved } = running.call;
  const place = toolContext(running, { use, approved, toolState: null });
  const capabilities = tool.capabilities?.(use.input, place);
  const granted = capabilities === undefined ? {} : { capabilities };
  running.query.log.info({ tool: use.name, callId: use.id, ...end, approved, ...granted }, "tool_call");
}

async function resultOf(running: RunningCall, outer: AbortSignal): Promise<ToolResult | null> {
  const { clock } = running.query.runtime;
  using drain =
    running.call.tool.afterCrash === "never" ? drained(outer, clock) : { signal: outer, [Symbol.dispose]() {} };
  const { signal } = drain;
  try {
    signal.throwIfAborted();
    return await abortable(execute(running, signal), { signal, clock });
  } catch (error) {
    // The call may already have done its part in the store, so it is retried as after a crash.
    if (isDatabaseUnavailable(error)) throw error;
    if (!signal.aborted) return failure(running, error);
    if (!(signal.reason instanceof CancelSignal)) throw signal.reason;
    const by = causeText(signal.reason.cause);
    return errorResult(`Cancelled by ${by} while it was running; anything it had already done remains.`, "cancelled");
  }
}

async function execute(running: RunningCall, signal: AbortSignal): Promise<ToolResult | null> {
  const { query, call, emit } = running;
  const { use, tool, approved } = call;
  const previewDigest = call.type === "run" ? call.previewDigest : undefined;
  const toolState = tool.keepsState === true ? await query.journal.toolState(use.name) : null;
  const ctx: ToolContext = {
    ...toolContext(running, { use, approved, toolState }),
    ...(previewDigest === undefined ? {} : { previewDigest }),
    queued: (before) => emit({ type: "tool_queued", toolId: use.id, before }),
    waits: (what) => emit({ type: "tool_waits", toolId: use.id, what }),
    progress: (text) => emit({ type: "tool_progress", toolId: use.id, text }),
    showPlan: (steps) => emit({ type: "plan", steps }),
  };
  if (call.type === "reconcile") return call.reconcile({ input: use.input, intent: call.intent }, ctx, signal);
  return tool.resume === undefined ? tool.execute(use.input, ctx, signal) : tool.resume(use.input, ctx, signal);
}

/** The context that a call receives. */
export function toolContext(
  { query, run }: QueryRun,
  { use, approved, toolState }: { use: Pick<ToolUseBlock, "id">; approved: boolean; toolState: string | null },
): ToolContext {
  const tools = toolsOfRun(run.state.messages, run.state.turns);
  // A sub-agent gets no more tools than its parent's skills allow.
  const config =
    tools === null ? query.config : { ...query.config, toolAllow: narrowTools(query.config.toolAllow, tools) };
  const callId = use.id;
  return {
    sessionId: query.sessionId,
    runId: query.runId,
    personId: query.personId,
    callId,
    channelKey: query.channelKey,
    sandboxRoot: query.sandboxRoot,
    readOnly: config.agentDefinition.access !== "full" || config.mode === "read",
    config,
    allowedHosts: query.allowedHosts,
    blockedUrls: query.blockedUrls,
    nonInteractive: query.nonInteractive,
    label: run.state.label,
    approved,
    toolState,
    knownFiles: run.state.knownFiles,
    knownAddresses: () => knownContent(run.state.messages, query.tools).addresses,
    intend: (intent) => run.callIntends(callId, intent),
    thread: query.thread,
    queued: () => {},
    waits: () => {},
    progress: () => {},
    showPlan: () => {},
  };
}

/** Turns an exception of a tool into an error result: the model reads it, the log records it, and the run continues. */
function failure({ query, call }: RunningCall, thrown: unknown): ToolResult {
  const error = withRef(toAppError(thrown), query.runtime.random);
  query.log.error({ err: thrown, tool: call.use.name, callId: call.use.id, ref: error.detail.ref }, "tool_failed");
  if (thrown instanceof AppError && thrown.code !== "defect") return errorResult(explain(error), "failed");
  const text = `Internal error (code ${error.detail.ref ?? ""}). Try again, or continue without this call.`;
  return errorResult(text, "failed");
}

/**
 * A signal that passes a stop on at once and a suspension only after its drain time, so that a call that must not be
 * repeated can finish.
 */
function drained(outer: AbortSignal, clock: Clock): { readonly signal: AbortSignal } & Disposable {
  const inner = new AbortController();
  let stopWaiting = () => {};
  const onAbort = () => {
    const waitMs = outer.reason instanceof SuspendSignal ? outer.reason.drainMs : 0;
    if (waitMs > 0) stopWaiting = clock.after(waitMs, () => inner.abort(outer.reason));
    else inner.abort(outer.reason);
  };
  outer.addEventListener("abort", onAbort, { once: true });
  if (outer.aborted) onAbort();
  return {
    signal: inner.signal,
    [Symbol.dispose]() {
      outer.removeEventListener("abort", onAbort);
      stopWaiting();
    },
  };
}

/**
 * Resolves with the work's result. Rejects with the signal's reason if the work outlives its abort by the grace period.
 */
function abortable<T>(work: Promise<T>, { signal, clock }: { signal: AbortSignal; clock: Clock }): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let stopWaiting = () => {};
    const onAbort = () => {
      stopWaiting = clock.after(ABORT_GRACE_MS, () => reject(signal.reason));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = () => {
      signal.removeEventListener("abort", onAbort);
      stopWaiting();
    };
    work.then(resolve, reject).finally(settle);
  });
}
