import { hash } from "node:crypto";
import { z } from "zod";

/** A sub-agent's task, stored with its session as JSON. */
export const childTaskSchema = z.object({
  /** The agent's type, as people read it. */
  agent: z.string(),
  /** A few words. */
  description: z.string(),
  /** Whether the parent does not wait for the sub-agent. */
  background: z.boolean(),
  /** Maximum number of executors that work at once under the same manager; absent if this is no executor. */
  concurrencyLimit: z.number().optional(),
  /** Whether the sub-agent is an executor that works in a worktree. */
  isolated: z.boolean().optional(),
  /** Depth of descent: 1 if a person's session began it. */
  depth: z.number(),
  /** How many runs in a row, up to the one that began this task, were begun by ends of sub-agents, not by a person. */
  autoWakeCount: z.number().optional(),
  /** Top of the line of parents, where limits, grants and what people see are kept. */
  root: z.object({ sessionId: z.string(), runId: z.string() }),
  /** Root run of the task tree (`taskTreeOf`); if absent, the run in `root`. */
  taskTree: z.string().optional(),
});
export type ChildTask = z.infer<typeof childTaskSchema>;

/**
 * The task tree that a sub-agent belongs to, named by its first run. It begins with a person's message or a job's
 * occurrence, and lasts as long as ends of its sub-agents begin further runs.
 */
export function taskTreeOf({ root, taskTree = root.runId }: ChildTask): string {
  return taskTree;
}

/** Maximum depth of sub-agents. */
export const MAX_DEPTH = 3;

/** Maximum number of sub-agents that one run may begin. */
export const MAX_CHILDREN = 50;

/** How often in a row background sub-agents may wake their parent without a person's word. */
export const MAX_AUTO_WAKES = 5;

/** Id of the session that a tool call begins. The same each time the call is retried. */
export function childIdOf({ runId, callId }: { readonly runId: string; readonly callId: string }): string {
  return `agt_${hash("sha256", `${runId}:${callId}`).slice(0, 20)}`;
}
