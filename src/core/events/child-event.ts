import { z } from "zod";
import { MODES } from "../agents/query-config.ts";
import { authorSchema } from "../protocol/messages.ts";
import { labelSchema } from "../trust/label.ts";
import { childTaskSchema } from "./child-task.ts";

/** What a job's run may do where nobody is asked; what its sub-agents set off later may do no more. */
const jobRightsSchema = z.object({
  mode: z.enum(MODES),
  tools: z.array(z.string()),
  budgetUsd: z.number().nullable(),
});

/** How a sub-agent's run ended, and what its parent reads of it. */
export const childReportSchema = z.object({
  status: z.enum(["finished", "stopped", "failed"]),
  text: z.string(),
  /** Sandbox files it has changed. */
  changedFiles: z.array(z.string()),
  /** Everyone whose words entered it. */
  people: z.array(authorSchema),
  /** The label of its whole conversation; absent: nobody knows. */
  label: labelSchema.exactOptional(),
});
export type ChildReport = z.infer<typeof childReportSchema>;

/**
 * Begins a sub-agent's only run. It holds what the parent's rights were then: a child never has more, whatever becomes
 * of the parent.
 */
export const childEventSchema = z.object({
  kind: z.literal("child"),
  parent: z.object({ sessionId: z.string(), runId: z.string(), callId: z.string() }),
  task: childTaskSchema,
  prompt: z.string(),
  /** The addresses in the prompt that the parent's model has not made up; absent: none. */
  addresses: z.array(z.string()).exactOptional(),
  /** Whose request the parent's run is, and everyone else whose words are in it. */
  author: authorSchema,
  people: z.array(authorSchema),
  /** The label of the request that led to it; absent: nobody knows. */
  label: labelSchema.exactOptional(),
  /** An access role: the lesser of the parent's and the type's. */
  access: z.string(),
  mode: z.enum(MODES),
  /** Names of all the tools it may use. */
  tools: z.array(z.string()),
  /** Those of them that go beyond the mode. */
  grantedTools: z.array(z.string()),
  maxTurns: z.number(),
  nonInteractive: z.boolean(),
  job: jobRightsSchema.nullable(),
  /** US dollars that the managed task may spend in all. */
  managedUsd: z.number().optional(),
  /** It waits for its place among the executors; whose end frees one lets it begin. */
  queued: z.boolean().optional(),
  at: z.number(),
});
export type ChildEvent = z.infer<typeof childEventSchema>;

/** Tells a parent that a sub-agent in the background has ended; wakes it when its run has ended before. */
export const childEndSchema = z.object({
  kind: z.literal("child_end"),
  childId: z.string(),
  task: childTaskSchema,
  report: childReportSchema,
  /** Whose request the parent's run was. */
  author: authorSchema,
  nonInteractive: z.boolean(),
  job: jobRightsSchema.nullable(),
  at: z.number(),
});
export type ChildEnd = z.infer<typeof childEndSchema>;

/** The key of the event that begins a child. */
export function beginKey({ parent: { sessionId, runId, callId } }: Pick<ChildEvent, "parent">): string {
  return `child:${sessionId}:${runId}:${callId}`;
}

/** The keys of what a child's end delivers to its parent: what a parked run goes on with, and the note. */
export function endKeys(childId: string, runId: string): { readonly wakes: string; readonly note: string } {
  return { wakes: `child:${childId}:${runId}`, note: `child:${childId}:${runId}:note` };
}
