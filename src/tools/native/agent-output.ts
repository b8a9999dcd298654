import { z } from "zod";
import { childEndKeys } from "../../core/events/child-event.ts";
import { errorResult, type ToolResult, textResult } from "../../core/protocol/tool-result.ts";
import { type ChildStatus, statusOf } from "../../core/store/child-status.ts";
import { beginKeyOf, type ChildRow } from "../../core/store/run/children.ts";
import type { Store } from "../../core/store/store.ts";
import { withdrawChild } from "../../core/subagents/children.ts";
import { defineTool, type Tool, type ToolContext } from "../../core/tool.ts";
import { reportResult } from "./agent.ts";
import { AGENT_OUTPUT } from "./agent-assignment.ts";
import type { NativeToolDeps } from "./native-tool-deps.ts";
import { waitingMethods } from "./waiting.ts";

const input = z.object({
  agent_id: z.string().trim().min(1).describe("The id that agent returned."),
  action: z
    .enum(["read", "wait", "cancel"])
    .default("read")
    .describe("read: its progress so far; wait: until it ends; cancel: stop it and return what it has so far."),
});
type OutputInput = z.infer<typeof input>;

/** Creates the tool that reports the outcome or progress of a background sub-agent. */
export function createAgentOutput(deps: Pick<NativeToolDeps, "store" | "engine" | "clock" | "ownFiles">): Tool {
  return defineTool({
    name: AGENT_OUTPUT,
    description:
      "Reads the state and the report of a background sub-agent, waits for it to end, or cancels it. You are told when it ends in " +
      "any case: wait only if you cannot continue without the report.",
    deferred: { about: "reads, awaits or cancels a background sub-agent" },
    input,
    permission: "none",
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: AGENT_OUTPUT, label: "reading what sub-agents report" }),
    title: ({ agent_id: id, action }) => `${action} ${id}`,
    ...waitingMethods<OutputInput>(async ({ agent_id: id, action }, ctx, signal) => {
      const child = await deps.store.children.get(id);
      if (child === null || child.parentId !== ctx.sessionId) return unknownAgent(id, ctx, deps.store);
      const status = await statusOf(deps.store, id, beginKeyOf(child));
      if (status.type === "ended") return reported({ child, status, signal }, ctx, deps);
      if (status.type === "gone") return NEVER_BEGAN;
      if (action === "read") return stateOf(child, status, deps.clock.now());
      if (action === "cancel" && (await cancel(child, status, deps))) return NEVER_BEGAN;
      ctx.waits(`waiting for ${child.task.agent}`);
      return null;
    }),
  });
}

const NEVER_BEGAN = errorResult("It was stopped before it started.", "stopped");

/** Stops a sub-agent; true if it had not begun and now never will. */
async function cancel(
  child: ChildRow,
  status: ChildStatus,
  { store, engine }: Pick<NativeToolDeps, "store" | "engine">,
): Promise<boolean> {
  if (status.type === "waiting" && (await withdrawChild(child, { store, engine }))) return true;
  const run = await store.runs.newestOf(child.id);
  if (run !== null) await engine.cancel(child.id, run.id, { by: "agent" });
  return false;
}

interface EndedChild {
  readonly child: ChildRow;
  readonly status: Extract<ChildStatus, { type: "ended" }>;
  readonly signal: AbortSignal;
}

/** Returns the report, and takes the key of the end note so that the parent is not notified of it again. */
async function reported(
  { child, status, signal }: EndedChild,
  ctx: ToolContext,
  { store, ownFiles }: Pick<NativeToolDeps, "store" | "ownFiles">,
): Promise<ToolResult> {
  await store.transaction((tx) => tx.inbox.takeKey(childEndKeys(child.id, status.runId).note, ctx.runId));
  return reportResult(child.id, status.report, { store, ownFiles, signal });
}

function stateOf({ task, createdAt }: ChildRow, status: ChildStatus, now: number): ToolResult {
  const seconds = Math.round((now - createdAt) / 1_000);
  const started = `${task.agent}: "${task.description}", assigned ${seconds} s ago`;
  if (status.type !== "working") return textResult(`${started}, waiting in the queue.`, { summary: "queued" });
  const { turns, tools } = status;
  return textResult(`${started}, working: ${turns} turns, ${tools} tool calls so far.`, { summary: "working" });
}

async function unknownAgent(id: string, { sessionId }: ToolContext, store: Store): Promise<ToolResult> {
  const known = await store.children.ofSession(sessionId);
  const names = known.map((child) => `${child.id} (${child.task.agent}: ${child.task.description})`);
  return errorResult(`You have no sub-agent ${id}. Your sub-agents: ${names.join(", ") || "none"}.`, "unknown");
}
