import { z } from "zod";
import type { AgentDefinition, Mode } from "../../core/agents/query-config.ts";
import { CHILD_TURNS, EXECUTOR, isPlainType, lesserAccess, WORKER } from "../../core/agents/sub-agents.ts";
import type { ChildEvent } from "../../core/events/child-event.ts";
import { type ChildTask, MAX_AUTO_WAKES, MAX_CHILDREN, MAX_DEPTH } from "../../core/events/child-task.ts";
import type { SessionEventBody } from "../../core/events/session-event.ts";
import type { SessionSettings } from "../../core/events/session-settings.ts";
import { peopleOfRun, startOf } from "../../core/people/run-people.ts";
import { offeredTools, toolAccessOf } from "../../core/permissions/tool-access.ts";
import { autoWakeCountOf, jobOf, taskTreeOfRun } from "../../core/run/run-config.ts";
import type { SessionRow } from "../../core/store/sessions.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { addressesIn } from "../../core/trust/addresses.ts";
import type { NativeToolDeps } from "./native-tool-deps.ts";

export const AGENT = "agent";
/** Offered only together with the agent tool. */
export const AGENT_OUTPUT = "agent_output";

export const TOO_MANY_CHILDREN = `A run can start at most ${MAX_CHILDREN} sub-agents. Do the rest yourself.`;

const NOT_BEHIND_A_REPORT =
  "A sub-agent can start others only in the foreground. Leave out run_in_background; several calls in one turn run together.";

/** What a model asks of a sub-agent. */
export const agentInput = z.object({
  description: z.string().trim().min(1).max(100).describe("The task in three to eight words; people read it."),
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(50_000)
    .describe(
      "The whole assignment. It knows nothing of this conversation: include what it needs, and say what to report.",
    ),
  agent_type: z
    .string()
    .trim()
    .min(1)
    .exactOptional()
    .describe("A type from the list. Default: a worker with your rights."),
  tools: z
    .array(z.string().trim().min(1))
    .max(100)
    .exactOptional()
    .describe(
      "Names of tools it may use. Default: all of yours except agent. It can start sub-agents only if agent is listed.",
    ),
  max_turns: z
    .int()
    .min(1)
    .max(50)
    .exactOptional()
    .describe(`Maximum number of model calls. Default: its type's, else ${CHILD_TURNS}.`),
  model: z.string().trim().min(1).exactOptional().describe("provider/model. Default: its type's, else yours."),
  run_in_background: z
    .boolean()
    .default(false)
    .describe(
      "True: you get its id at once and continue; you are told when it ends. Sub-agents cannot start others this way.",
    ),
});
export type AgentRequest = z.infer<typeof agentInput>;

export type Assignment =
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "assigned"; readonly event: ChildEvent; readonly settings: SessionSettings };

/** Computes a sub-agent's assignment from the request, limited to the rights of its parent. */
export async function assignmentOf(asked: AgentRequest, ctx: ToolContext, deps: NativeToolDeps): Promise<Assignment> {
  const parent = await deps.store.sessions.get(ctx.sessionId);
  const depth = (parent.task?.depth ?? 0) + 1;
  const began = (await startOf(deps.store, ctx.runId))?.body ?? null;
  const bound = await boundReached(asked, { depth, began, ctx }, deps);
  if (bound !== null) return refused(bound);
  const type = typeOf(asked.agent_type, deps.agents);
  if (type === undefined) {
    const names = [plainName(ctx), ...deps.agents.keys()].join(", ");
    return refused(`There is no agent type "${asked.agent_type ?? ""}". Available: ${names}.`);
  }
  const { delegation } = ctx.config;
  const access = lesserAccess(ownAccess(ctx), type?.access ?? "full");
  const tools = toolsFor(asked.tools, { access, ctx, all: deps.catalogue() });
  const missing = tools.missing.join(", ");
  if (missing !== "") return refused(`You cannot give it tools that you do not have: ${missing}.`);
  const model = asked.model ?? delegation?.subAgentModel ?? type?.model ?? delegation?.model ?? ctx.config.model;
  const problem = model === ctx.config.model ? null : await deps.models.problemWith(model, ctx.config);
  if (problem !== null) return refused(problem);

  const mode = await modeOf(ctx, deps);
  const rights = { access, mode, tools: tools.names, grantedTools: tools.granted };
  const managedUsd = delegation?.taskTreeUsd === undefined ? {} : { managedUsd: delegation.taskTreeUsd };
  const most = delegation?.maxTurns ?? Infinity;
  const turns = asked.max_turns ?? delegation?.maxTurns ?? type?.maxTurns ?? CHILD_TURNS;
  const limits = { maxTurns: Math.min(turns, most), ...managedUsd };
  const task = taskOf(asked, { name: type?.name ?? plainName(ctx), depth, began, parent, ctx });
  const { effort } = parent.settings;
  return {
    type: "assigned",
    event: {
      ...(await origin(ctx, began, deps)),
      ...rights,
      ...limits,
      task,
      ...promptAndAddresses(asked.prompt, ctx),
    },
    settings: { mode, model, ...(effort === undefined ? {} : { effort }) },
  };
}

/** Checks the bounds that keep sub-agents from continuing endlessly; null if none is reached. */
async function boundReached(
  asked: AgentRequest,
  { depth, began, ctx }: Pick<TaskOrigin, "depth" | "began" | "ctx">,
  { store }: NativeToolDeps,
) {
  if (depth > MAX_DEPTH)
    return `Sub-agents can be nested at most ${MAX_DEPTH} deep, and you are at that limit. Do the work yourself.`;
  // It would end after the sub-agent's own report, which is all that the parent receives.
  if (asked.run_in_background && depth > 1) return NOT_BEHIND_A_REPORT;
  if (asked.run_in_background && began !== null && autoWakeCountOf(began) >= MAX_AUTO_WAKES) {
    return `Background sub-agents have woken you ${MAX_AUTO_WAKES} times in a row without a message from a person. Start this one without run_in_background, or end your turn and say what is left.`;
  }
  const children = await store.children.ofRun(ctx.sessionId, ctx.runId);
  return children.length < MAX_CHILDREN ? null : TOO_MANY_CHILDREN;
}

function refused(reason: string): Assignment {
  return { type: "refused", reason };
}

/** Null for a plain worker or executor; undefined if no agent has that name. */
function typeOf(name: string | undefined, agents: ReadonlyMap<string, AgentDefinition>) {
  return name === undefined || isPlainType(name) ? null : agents.get(name);
}

/** Default type of a sub-agent. */
export function plainName({ config }: Pick<ToolContext, "config">): string {
  return config.delegation === undefined ? WORKER : EXECUTOR;
}

/**
 * The parent's role for choosing a sub-agent's rights. If a run delegates its work, its sub-agents may have more rights
 * than it has.
 */
function ownAccess({ config }: ToolContext): string {
  return config.delegation?.access ?? config.agentDefinition.access;
}

/** While the parent plans, nothing may be changed on its behalf. */
async function modeOf(ctx: ToolContext, { store }: NativeToolDeps): Promise<Mode> {
  const plan = await store.plans.of(ctx.sessionId);
  return plan?.phase === "planning" ? "read" : ctx.config.mode;
}

interface ToolRights {
  readonly access: string;
  readonly ctx: ToolContext;
  readonly all: readonly Tool[];
}

/**
 * Names of the tools that both parent and child may use; `missing` lists requested tools that the parent may not use.
 */
function toolsFor(wanted: readonly string[] | undefined, { access, ctx, all }: ToolRights) {
  const { delegation, grantedTools: granted = [] } = ctx.config;
  const rights = { ...toolAccessOf(ctx.config), role: ownAccess(ctx) };
  const isOwn = ({ name, onlyFor }: Tool) => onlyFor === undefined && (delegation === undefined || name !== AGENT);
  const own = offeredTools(all, rights).filter(isOwn);
  const missing = (wanted ?? []).filter((name) => !own.some((tool) => tool.name === name));
  const isUsual = (name: string) => name !== AGENT && name !== AGENT_OUTPUT;
  const given = own.filter(({ name }) => (wanted === undefined ? isUsual(name) : wanted.includes(name)));
  const names = offeredTools(given, { ...rights, role: access }).map(({ name }) => name);
  return { names, missing, granted: granted.filter((name) => names.includes(name)) };
}

interface TaskOrigin {
  readonly name: string;
  readonly depth: number;
  readonly began: SessionEventBody | null;
  readonly parent: SessionRow;
  readonly ctx: ToolContext;
}

function taskOf(asked: AgentRequest, { name, depth, began, parent, ctx }: TaskOrigin): ChildTask {
  const root = parent.task?.root ?? { sessionId: ctx.sessionId, runId: ctx.runId };
  const { delegation } = ctx.config;
  const taskTree = began === null ? root.runId : taskTreeOfRun(began, ctx.runId);
  const base = {
    agent: name,
    description: asked.description,
    background: asked.run_in_background,
    depth,
    root,
    ...(taskTree === root.runId ? {} : { taskTree }),
  };
  const autoWakeCount = began === null ? 0 : autoWakeCountOf(began);
  const woken = autoWakeCount === 0 ? base : { ...base, autoWakeCount };
  if (delegation === undefined) return woken;
  const { concurrencyLimit, isolated } = delegation;
  return { ...woken, concurrencyLimit, ...(isolated ? { isolated } : {}) };
}

/** The prompt of the child, and the addresses in it that the child may fetch as its parent might. */
function promptAndAddresses(prompt: string, ctx: ToolContext) {
  const named = new Set(addressesIn(prompt));
  const addresses = named.size === 0 ? [] : ctx.knownAddresses().filter((address) => named.has(address));
  return { prompt, ...(addresses.length === 0 ? {} : { addresses }) };
}

/** Who made the call, and whose words led to it. */
async function origin(
  { sessionId, runId, callId, nonInteractive, label }: ToolContext,
  began: SessionEventBody | null,
  { store, clock }: NativeToolDeps,
) {
  const [{ requester, others }, authors] = await Promise.all([
    peopleOfRun(store, runId),
    store.messages.authorsOf(sessionId),
  ]);
  const contributors = authors.filter(({ id }) => id !== requester.id && label.who.includes(id));
  const people = new Map([...others, ...contributors].map((author) => [author.id, author]));
  return {
    kind: "child" as const,
    parent: { sessionId, runId, callId },
    author: requester,
    people: [...people.values()],
    label,
    nonInteractive,
    job: began === null ? null : jobOf(began),
    at: clock.now(),
  };
}
