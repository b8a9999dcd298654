import { deferTools, toolDescriptionsLabel } from "../context/deferred-tools.ts";
import { offeredTools, toolAccessOf } from "../permissions/tool-access.ts";
import type { CancelCause } from "../protocol/cancel-cause.ts";
import { CancelSignal } from "../protocol/signals.ts";
import type { Tool } from "../tool.ts";
import type { Label } from "../trust/label.ts";
import { ContextGauge } from "./context-gauge.ts";
import { OpenRun } from "./open-run.ts";
import type { Query, QueryRun } from "./query-input.ts";
import type { ToolRules } from "./tool-decision.ts";
import { toolSpecs } from "./tool-specs.ts";

/** The query and the other state of one run's loop. */
export interface Loop extends QueryRun {
  readonly rules: ToolRules;
  readonly gauge: ContextGauge;
  /** Thresholds of the context window that people have already been warned about in this run. */
  readonly warnedShares: Set<number>;
  /** Label of the offered tools' descriptions: whose words they put into each request. */
  readonly descriptions: Label;
  readonly bounds: { readonly maxTurns: number; readonly model: string };
}

/** Loads the run from its journal. */
export async function openLoop(given: Query): Promise<Loop> {
  const run = await OpenRun.load(given.journal);
  const query = { ...given, tools: await toolsOf(given, run) };
  const { config, log, runId, sessionId, person, sandboxRoot, allowedHosts, blockedUrls, sinks, nonInteractive } =
    query;
  const { maxTurns } = config.agentDefinition;
  const access = toolAccessOf(config);
  const offered = deferTools(offeredTools(query.tools, access));
  query.opened(run);
  return {
    warnedShares: new Set(),
    descriptions: toolDescriptionsLabel(offered),
    query: { ...query, log: log.child({ ...config.logContext, sessionId, runId, person }) },
    run,
    rules: {
      tools: query.tools,
      whyMissing: query.whyMissing,
      access,
      environment: { mode: config.mode, sandboxRoot, allowedHosts, blockedUrls, sinks, nonInteractive },
    },
    gauge: new ContextGauge(query, run, toolSpecs(offered)),
    bounds: { maxTurns: maxTurns ?? config.maxTurns, model: config.model.slice(config.model.indexOf("/") + 1) },
  };
}

/**
 * Waits for tools of interrupted or parked calls that are missing: an MCP server connects only a moment after the
 * start.
 */
async function toolsOf({ tools, awaitTools }: Query, { state }: OpenRun): Promise<readonly Tool[]> {
  const open = state.calls.filter(({ status }) => status !== "ended").map(({ name }) => name);
  const missing = open.filter((name) => tools.every((tool) => tool.name !== name));
  return missing.length === 0 ? tools : awaitTools(missing);
}

/**
 * The cause if a person or a limit has stopped the run; null if the signal has not aborted. Throws the reason of any
 * other abort, which suspends the run.
 */
export function cancelledBy(signal: AbortSignal): CancelCause | null {
  if (!signal.aborted) return null;
  if (signal.reason instanceof CancelSignal) return signal.reason.cause;
  throw signal.reason;
}
