import { z } from "zod";
import { MODES } from "../agents/query-config.ts";
import { authorSchema } from "../protocol/messages.ts";

/** An attempt of a job's occurrence. It holds what the job was when it fell due: the job may be changed since. */
export const jobEventSchema = z.object({
  kind: z.literal("job"),
  jobId: z.string(),
  occurrenceId: z.string(),
  /** From 1. */
  attempt: z.number(),
  /** The job's owner, whom its runs are put down to. */
  author: authorSchema,
  prompt: z.string(),
  mode: z.enum(MODES),
  /** Names of tools granted beyond the mode. */
  tools: z.array(z.string()),
  budgetUsd: z.number().nullable(),
  timeoutMs: z.number(),
  /** Why it must not run, as people read it: it ends with these words before anything is done. */
  refusal: z.string().exactOptional(),
  at: z.number(),
});
export type JobEvent = z.infer<typeof jobEventSchema>;
