import { z } from "zod";
import { MODES } from "../agents/query-config.ts";
import { authorSchema } from "../protocol/messages.ts";
import { labelSchema } from "../trust/label.ts";
import { childTaskSchema } from "./child-task.ts";

/** What a job's run may do without asking anybody. Later work of its sub-agents has no more rights. */
const jobRightsSchema = z.object({
  mode: z.enum(MODES),
  tools: z.array(z.string()),
  budgetUsd: z.number().nullable(),
});

/** How a sub-agent's run ended, and what its parent reads about it. */
export const childReportSchema = z.object({
  status: z.enum(["finished", "stopped", "failed"]),
  text: z.string(),
  /** Sandbox files that the sub-agent has changed. */
  changedFiles: z.array(z.string()),
  /** Everyone whose words entered the sub-agent's run. */
  people: z.array(authorSchema),
  /** Label of the whole conversation; absent if unknown. */
  label: labelSchema.exactOptional(),
});
export type ChildReport = z.infer<typeof childReportSchema>;

/** Begins a sub-agent's only run. Holds the parent's rights at that time; later changes never give the child more. */
export const childEventSchema = z.object({
  kind: z.literal("child"),
  parent: z.object({ sessionId: z.string(), runId: z.string(), callId: z.string() }),
  task: childTaskSchema,
  prompt: z.string(),
  /** Addresses in the prompt that the parent's model did not make up; absent if none. */
  addresses: z.array(z.string()).exactOptional(),
  /** The person who asked for the parent's run, and below it everyone else whose words are in it. */
  author: authorSchema,
  people: z.array(authorSchema),
  /** Label of the request that led to the sub-agent; absent if unknown. */
  label: labelSchema.exactOptional(),
  /** An access role: the lesser of the parent's and of the agent type's. */
  access: z.string(),
  mode: z.enum(MODES),
  /** Names of all tools that the sub-agent may use. */
  tools: z.array(z.string()),
  /** Names of those tools that go beyond the mode. */
  grantedTools: z.array(z.string()),
  maxTurns: z.number(),
  nonInteractive: z.boolean(),
  job: jobRightsSchema.nullable(),
  /** Limit of the whole managed task, in US dollars. */
  managedUsd: z.number().optional(),
  /** Set if the sub-agent waits for a place among the executors. The end of another one lets it begin. */
  queued: z.boolean().optional(),
  at: z.number(),
});
export type ChildEvent = z.infer<typeof childEventSchema>;

/** Tells a parent that a background sub-agent has ended. Begins a new run if the parent's run has already ended. */
export const childEndSchema = z.object({
  kind: z.literal("child_end"),
  childId: z.string(),
  task: childTaskSchema,
  report: childReportSchema,
  /** The person who asked for the parent's run. */
  author: authorSchema,
  nonInteractive: z.boolean(),
  job: jobRightsSchema.nullable(),
  at: z.number(),
});
export type ChildEnd = z.infer<typeof childEndSchema>;

export function childStartKey({ parent: { sessionId, runId, callId } }: Pick<ChildEvent, "parent">): string {
  return `child:${sessionId}:${runId}:${callId}`;
}

/** Keys of the events that a child's end delivers to its parent: one resumes a parked run, the other is the note. */
export function childEndKeys(childId: string, runId: string): { readonly wakes: string; readonly note: string } {
  return { wakes: `child:${childId}:${runId}`, note: `child:${childId}:${runId}:note` };
}
