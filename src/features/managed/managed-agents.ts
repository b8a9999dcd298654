/** How a manager and its executors work. */
export interface ManagedAgents {
  /** `provider/model`; absent: the session's own. */
  readonly managerModel?: string | undefined;
  readonly executorModel?: string | undefined;
  readonly executorMaxTurns: number;
  readonly maxConcurrentExecutors: number;
  /** US dollars of manager and executors together, of one task tree (`taskTreeOf`). */
  readonly totalBudgetUsd?: number | undefined;
  /** Each executor works in a worktree, and its changes are merged. */
  readonly executorIsolation: boolean;
  /** The name of the preset that people have chosen; absent: as configured. */
  readonly preset?: string | undefined;
}

/** `**on** by **careful**` */
export function onBy({ preset }: ManagedAgents): string {
  return preset === undefined ? "**on**" : `**on** by **${preset}**`;
}

/** The tool that applies the work of an executor that had files of its own. */
export const MERGE_WORK = "merge_work";
