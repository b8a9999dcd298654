import { type Delegation, MANAGER_ROLE } from "../../core/agents/delegation.ts";
import type { AgentDefinition, QueryConfig } from "../../core/agents/query-config.ts";
import type { SessionSettings } from "../../core/events/session-settings.ts";
import { refusal, toolAccessOf } from "../../core/permissions/tool-access.ts";
import { AGENT } from "../../tools/native/agent-assignment.ts";
import { type ManagedAgents, MERGE_WORK, onBy } from "./managed-agents.ts";
import type { ManagedMode } from "./presets.ts";

/** The settings of a session's runs in managed mode. An agent that may not delegate works itself. */
export function managedBy(mode: ManagedMode, config: QueryConfig, session: SessionSettings): QueryConfig {
  const managed = mode.of(session);
  if (managed === null) return config;
  const manager = asManager(config, managed);
  return refusal({ name: AGENT, permission: "none" }, toolAccessOf(manager)) === null ? manager : config;
}

/** The settings of a manager's run. */
export function asManager(config: QueryConfig, managed: ManagedAgents): QueryConfig {
  const { agentDefinition, model } = config;
  const delegation = delegationOf(managed, { access: agentDefinition.access, model });
  const own: AgentDefinition = {
    ...agentDefinition,
    access: MANAGER_ROLE,
    prompt: `${agentDefinition.prompt}\n\n${managerPrompt(delegation)}`,
  };
  const inPlace = { ...config, delegation, agentDefinition: own };
  if (managed.managerModel === undefined || managed.managerModel === model) return inPlace;
  const { contextWindow: _window, ...withoutWindow } = inPlace;
  return { ...withoutWindow, model: managed.managerModel };
}

function delegationOf(managed: ManagedAgents, own: Pick<Delegation, "access" | "model">): Delegation {
  const { executorModel, executorMaxTurns, maxConcurrentExecutors, totalBudgetUsd, executorIsolation } = managed;
  return {
    ...own,
    ...(executorModel === undefined ? {} : { subAgentModel: executorModel }),
    maxTurns: executorMaxTurns,
    concurrencyLimit: maxConcurrentExecutors,
    ...(totalBudgetUsd === undefined ? {} : { taskTreeUsd: totalBudgetUsd }),
    isolated: executorIsolation,
    descriptions: {
      state: `Managed mode ${onBy(managed)}.`,
      tools: "In managed mode I look and plan; executors have the tools that change things.",
    },
  };
}

function managerPrompt({ concurrencyLimit, isolated, subAgentModel, model, maxTurns }: Delegation): string {
  return [
    "You manage this task: look and plan, delegate every change and every command to executors with the agent tool, and answer for the whole.",
    `Split the task into pieces that do not overlap; start those that can run in parallel in one turn (${concurrencyLimit} run at once, the rest queue).`,
    `Executors use ${subAgentModel ?? model}, unless their agent type has its own model or you name one, and each has at most ${maxTurns} turns: choose what fits with \`model\` and \`max_turns\`.`,
    "Tell each executor all it needs to know and how to tell that it is done. Read reports critically, check what matters, and delegate what is missing.",
    isolated
      ? `Each executor works in a copy of the files, made when you delegate its piece. Its report ends with what it changed; ${MERGE_WORK} merges that into the files here and names conflicts. What you do not merge is not done.`
      : "",
  ]
    .filter((line) => line !== "")
    .join("\n");
}
