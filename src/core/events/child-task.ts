import { hash } from "node:crypto";
import { z } from "zod";

/** What a sub-agent was begun for. Kept with its session, as JSON. */
export const childTaskSchema = z.object({
  /** The agent's type, as people read it. */
  agent: z.string(),
  /** In a few words. */
  description: z.string(),
  /** The parent does not wait for it. */
  background: z.boolean(),
  /** How many executors may be at work at once beneath the same manager; absent: this is none. */
  concurrencyLimit: z.number().optional(),
  /** An executor that works in a worktree. */
  isolated: z.boolean().optional(),
  /** 1 for what a person's session has begun. */
  depth: z.number(),
  /** How often in a row ends of sub-agents, and no person, have begun the run that it was begun in. */
  autoWakeCount: z.number().optional(),
  /** Where the line of parents begins: limits, grants and what people see are counted there. */
  root: z.object({ sessionId: z.string(), runId: z.string() }),
  /** The first run of the task tree (`taskTreeOf`); absent: the root's. */
  taskTree: z.string().optional(),
});
export type ChildTask = z.infer<typeof childTaskSchema>;

/**
 * The task tree that a sub-agent belongs to: what begins with a person's message, or a job's occurrence, and goes on for as
 * long as ends of its sub-agents begin further runs. Named by its first run.
 */
export function taskTreeOf({ root, taskTree = root.runId }: ChildTask): string {
  return taskTree;
}

/** How deep sub-agents may begin sub-agents. */
export const MAX_DEPTH = 3;

/** How many sub-agents one run may begin. */
export const MOST_CHILDREN = 50;

/** How often in a row sub-agents in the background may wake their parent without a person's word. */
export const MAX_AUTO_WAKES = 5;

/** The session that a tool call begins: the same one, however often the call is taken up again. */
export function childIdOf({ runId, callId }: { readonly runId: string; readonly callId: string }): string {
  return `agt_${hash("sha256", `${runId}:${callId}`).slice(0, 20)}`;
}
