import { z } from "zod";
import { MODES } from "../agents/query-config.ts";
import { authorSchema } from "../protocol/messages.ts";

/** An attempt of a job's occurrence. Holds the job as it was when due, since it may have changed meanwhile. */
export const jobEventSchema = z.object({
  kind: z.literal("job"),
  jobId: z.string(),
  occurrenceId: z.string(),
  /** From 1. */
  attempt: z.number(),
  /** The job's owner, to whom its runs are charged. */
  author: authorSchema,
  prompt: z.string(),
  mode: z.enum(MODES),
  /** Names of tools granted beyond the mode. */
  tools: z.array(z.string()),
  budgetUsd: z.number().nullable(),
  timeoutMs: z.number(),
  /** Why the attempt must not run, as people read it. It ends with these words before doing anything. */
  refusal: z.string().exactOptional(),
  at: z.number(),
});
export type JobEvent = z.infer<typeof jobEventSchema>;
