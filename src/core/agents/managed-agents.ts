import type { ManagedAgents, ManagerSettings } from "./managed-settings.ts";
import type { AgentDefinition, QueryConfig } from "./query-config.ts";

/** Where managed mode is on without settings of its own. */
export const MANAGED_DEFAULTS: ManagedAgents = {
  executorMaxTurns: 10,
  maxConcurrentExecutors: 4,
  executorIsolation: false,
};

/** The access role of managers: they look, plan and hand work on. */
export const MANAGER_ROLE = "manager";

/** Applies the work of an executor that had files of its own. */
export const MERGE_WORK = "merge_work";

/** The type of an executor that none was named for. */
export const EXECUTOR = "executor";

/** The query settings of a run that manages; the same where managed mode is off. */
export function asManager(config: QueryConfig): QueryConfig {
  const { managedAgents: managed, agentDefinition, model } = config;
  if (managed === undefined) return config;
  const managing: ManagerSettings = { ...managed, access: agentDefinition.access, model };
  const own: AgentDefinition = {
    ...agentDefinition,
    access: MANAGER_ROLE,
    prompt: `${agentDefinition.prompt}\n\n${managerPrompt(managing)}`,
  };
  const inPlace = { ...config, managing, agentDefinition: own };
  if (managed.managerModel === undefined || managed.managerModel === model) return inPlace;
  const { contextWindow: _window, ...withoutWindow } = inPlace;
  return { ...withoutWindow, model: managed.managerModel };
}

/** The same settings for what a person does in the session, who is no manager. */
export function asPerson(config: QueryConfig): QueryConfig {
  const { managing, agentDefinition, ...rest } = config;
  return managing === undefined
    ? config
    : { ...rest, agentDefinition: { ...agentDefinition, access: managing.access } };
}

function managerPrompt(managing: ManagerSettings): string {
  const { maxConcurrentExecutors: most, executorIsolation, executorModel, model, executorMaxTurns } = managing;
  return [
    "You manage this task: you look, plan, hand every change and every command to executors with the agent tool, and answer for the whole.",
    `Cut the task into pieces that do not touch each other; begin those that can go on together in one turn (${most} work at once, the others queue).`,
    `Executors are answered by ${executorModel ?? model}, unless an agent type has a model of its own or you name one, and each has at most ${executorMaxTurns} turns: give each what fits, by \`model\` and \`max_turns\`.`,
    "Give each executor all it needs to know and how to tell that it is done. Read their reports critically, check what matters, and hand on what is missing.",
    executorIsolation
      ? `Each executor works in a copy of the files as they are when you hand the piece on. Its report ends with what it changed; ${MERGE_WORK} brings that into the files here, and names what conflicts. What you do not merge is not done.`
      : "",
  ]
    .filter((line) => line !== "")
    .join("\n");
}
