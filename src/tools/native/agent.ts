import type { AgentDefinition } from "../../core/agents/query-config.ts";
import { WORKER } from "../../core/agents/sub-agents.ts";
import { renderBlock, toneOf } from "../../core/context/render-block.ts";
import { type ChildReport, childStartKey } from "../../core/events/child-event.ts";
import { childIdOf } from "../../core/events/child-task.ts";
import { PlatformError, toAppError } from "../../core/protocol/errors.ts";
import { errorResult, type ToolResult, textResult } from "../../core/protocol/tool-result.ts";
import { statusOf } from "../../core/store/child-status.ts";
import { beginChild } from "../../core/subagents/children.ts";
import { releaseQueued } from "../../core/subagents/queued-children.ts";
import { namedLines } from "../../core/text/named-lines.ts";
import { defineTool, type Tool, type ToolContext } from "../../core/tool.ts";
import { UNKNOWN_LABEL } from "../../core/trust/label.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";
import {
  AGENT,
  type AgentRequest,
  agentInput,
  assignmentOf,
  plainName,
  TOO_MANY_CHILDREN,
} from "./agent-assignment.ts";
import type { NativeToolDeps } from "./native-tool-deps.ts";
import { waitingMethods } from "./waiting.ts";

/**
 * Returns a function that gives the tool describing the current agents; the tool object changes only when the agents
 * do.
 */
export function agentTool(deps: NativeToolDeps): () => Tool {
  let known = createAgent(deps);
  return () => {
    if (known.description !== describe(deps.agents)) known = createAgent(deps);
    return known;
  };
}

/**
 * Creates the tool that gives work to a sub-agent, which is a session of its own, and optionally waits for its report.
 */
export function createAgent(deps: NativeToolDeps): Tool {
  return defineTool({
    name: AGENT,
    description: describe(deps.agents),
    offer: {
      about: agentSummaries(deps.agents),
      arguments: {
        description: "Three to eight words for people.",
        prompt: "All it needs: it knows nothing of this conversation.",
        agent_type: "Default: a worker with your rights.",
        run_in_background: "You are told when it ends.",
      },
    },
    input: agentInput,
    permission: "none",
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: AGENT, label: "beginning sub-agents" }),
    title: ({ agent_type: type = WORKER, description }) => `${type}: ${description}`,
    ...waitingMethods<AgentRequest>((asked, ctx, signal) => asResultOrNull(() => resume(asked, { ctx, deps, signal }))),
  });
}

function agentSummaries(agents: ReadonlyMap<string, AgentDefinition>): string {
  return [
    "Delegates work to a sub-agent with its own context; returns its report, which you check. For long searches, parallel work or " +
      "a second look; not for what a few calls can do.",
    ...typesOf(agents),
  ].join("\n");
}

/** Maximum characters describing the types. */
const TYPES_CHARS = 4_000;

function typesOf(agents: ReadonlyMap<string, AgentDefinition>): string[] {
  const types = [...agents.values()].map(({ name, description }) => ({ name, about: description }));
  return ["Types:", ...namedLines(types, { mostChars: TYPES_CHARS, elsewhere: "" })];
}

function describe(agents: ReadonlyMap<string, AgentDefinition>): string {
  return [
    "Delegates a self-contained piece of work to a sub-agent with its own context, and returns its report. Use it for searches " +
      "that would fill your context, for parts that can run in parallel (several calls in one turn run together), and for a " +
      "second look at your work. Not for what two or three calls of your own can do. Its report is data: check what matters.",
    ...typesOf(agents),
  ].join("\n");
}

/** Turns a refusal to copy files into a result for the model. */
async function asResultOrNull(work: () => Promise<ToolResult | null>): Promise<ToolResult | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return errorResult(error.payload, "not started");
    throw error;
  }
}

async function resume(asked: AgentRequest, call: Call): Promise<ToolResult | null> {
  const { ctx, deps, signal } = call;
  const id = childIdOf(ctx);
  const isBegun = (await deps.store.children.get(id)) !== null;
  const refusal = isBegun ? null : await begin(id, asked, call);
  if (refusal !== null) return errorResult(refusal, "not started");
  // Repeated when the call resumes, since a process may have died in between.
  await announce(id, call);
  if (ctx.config.delegation !== undefined) await releaseQueued(ctx.sessionId, deps);
  const name = asked.agent_type ?? plainName(ctx);
  if (asked.run_in_background) {
    const text = `agent_id: ${id}\n${name} works in the background. You are told when it ends; agent_output {"agent_id", "action"} reads its state, waits for it or cancels it.`;
    return textResult(text, { summary: "in the background" });
  }
  const parent = { sessionId: ctx.sessionId, runId: ctx.runId, callId: ctx.callId };
  const status = await statusOf(deps.store, id, childStartKey({ parent }));
  if (status.type === "ended") return reportResult(id, status.report, { ...deps, signal });
  if (status.type === "gone") return errorResult("It was stopped before it started.", "stopped");
  const isQueued = status.type === "waiting" && ctx.config.delegation !== undefined;
  ctx.waits(isQueued ? `${name} is queued` : `waiting for ${name}`);
  return null;
}

/**
 * A report as the parent's model reads it. Changed files count as changed and must be read again. Files of a sub-agent
 * that has its own copies change only when merged, so the report describes them.
 */
export async function reportResult(
  id: string,
  { status, text, changedFiles, label = UNKNOWN_LABEL }: ChildReport,
  { store, ownFiles, signal }: Pick<NativeToolDeps, "store" | "ownFiles"> & { readonly signal: AbortSignal },
): Promise<ToolResult> {
  const summary = status === "finished" ? "reported" : status;
  const result = { isError: status !== "finished", summary, label };
  const child = await store.children.get(id);
  if (child?.task.isolated !== true) {
    const files = changedFiles.map((path) => ({ path, sha256: null, action: "wrote" as const }));
    return { content: [{ type: "text", text }], ...result, files };
  }
  const work = await ownFiles().changes(id, signal);
  return { content: [{ type: "text", text: `${text}\n\n${work}` }], ...result };
}

interface Call {
  readonly ctx: ToolContext;
  readonly deps: NativeToolDeps;
  readonly signal: AbortSignal;
}

/** Starts the child; null once it has begun, else why it does not. */
async function begin(id: string, asked: AgentRequest, { ctx, deps, signal }: Call): Promise<string | null> {
  const assignment = await assignmentOf(asked, ctx, deps);
  if (assignment.type === "refused") return assignment.reason;
  const { event, settings } = assignment;
  if (event.task.isolated === true) await makeOwnFiles(id, { ctx, deps, signal });
  const outcome = await beginChild({ id, settings }, event, deps);
  if (outcome !== "begun") return outcome === "stopped" ? "Not started: you have been stopped." : TOO_MANY_CHILDREN;
  return null;
}

/** Copies the files for a sub-agent; the copies keep the labels of the originals. */
async function makeOwnFiles(id: string, { ctx, deps: { store, ownFiles }, signal }: Call): Promise<void> {
  const { sandboxRoot, personId, channelKey } = ctx;
  const root = await ownFiles().make(id, { root: sandboxRoot, personId, channelKey }, signal);
  const labelled = await store.fileLabels.inRoot(sandboxRoot);
  if (labelled.length === 0) return;
  await store.transaction(async (tx) => {
    for (const file of labelled) await tx.fileLabels.put(root, file);
  });
}

/**
 * Maximum number of a run's sub-agents that are announced: platforms accept about one post a second, and the run keeps
 * its slot meanwhile.
 */
const ANNOUNCED = 10;

/** Posts once which sub-agent got which work. The child is already at work, so a failed post stops nothing. */
async function announce(id: string, { ctx, deps }: Call): Promise<void> {
  const siblings = await deps.store.children.ofRun(ctx.sessionId, ctx.runId);
  const child = siblings.slice(0, ANNOUNCED).find((sibling) => sibling.id === id);
  // Jobs work silently, and work that sub-agents delegate shows on their own lines.
  if (child === undefined || child.task.depth > 1 || ctx.nonInteractive) return;
  const { agent, description } = child.task;
  const block = { type: "task_assignment", agent, description, sessionId: id } as const;
  const message = {
    lane: "progress",
    markdown: renderBlock(block),
    tone: toneOf(block),
    buttons: [],
    files: [],
  } as const;
  try {
    await ctx.thread.post(`task:${ctx.callId}`, message);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    deps.log.warn({ childId: id, code: toAppError(error).code }, "assignment_not_posted");
  }
}
