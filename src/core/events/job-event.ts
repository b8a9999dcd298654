import { z } from "zod";
import { AppError } from "../protocol/errors.ts";
import { authorSchema } from "../protocol/messages.ts";
import type { SessionEventBody } from "./session-event.ts";

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
  mode: z.enum(["read", "write", "agi"]),
  /** Names of tools granted beyond the mode. */
  tools: z.array(z.string()),
  budgetUsd: z.number().nullable(),
  timeoutMs: z.number(),
  /** Why it must not run, as people read it: it ends with these words before anything is done. */
  refusal: z.string().exactOptional(),
  /** Milliseconds since the epoch. */
  at: z.number(),
});
export type JobEvent = z.infer<typeof jobEventSchema>;

/** The place of a session for the run that an event began: a job brings its own rights. Throws where it must not run. */
export function configFor<P extends { readonly config: object }>(body: SessionEventBody, place: P): P {
  if (body.kind !== "job") return place;
  if (body.refusal !== undefined) throw new AppError("config", body.refusal);
  return { ...place, config: { ...place.config, mode: body.mode, grantedTools: body.tools } };
}
