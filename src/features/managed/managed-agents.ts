export interface ManagedAgents {
  /** `provider/model`; the session's own if absent. */
  readonly managerModel?: string | undefined;
  readonly executorModel?: string | undefined;
  readonly executorMaxTurns: number;
  readonly maxConcurrentExecutors: number;
  /** Limit in US dollars for one task tree (`taskTreeOf`), manager and executors together. */
  readonly totalBudgetUsd?: number | undefined;
  /** Each executor works in a worktree of its own, and its changes are merged. */
  readonly executorIsolation: boolean;
  /** The preset that people have chosen; absent if the configured settings apply. */
  readonly preset?: string | undefined;
}

/** `**on** by **careful**` */
export function onBy({ preset }: ManagedAgents): string {
  return preset === undefined ? "**on**" : `**on** by **${preset}**`;
}

/** Name of the tool that merges the work of an executor with its own files. */
export const MERGE_WORK = "merge_work";
