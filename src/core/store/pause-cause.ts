import { z } from "zod";
import { fromJson } from "../text/from-json.ts";

const causeSchema = z.discriminatedUnion("by", [
  /** A reminder whose time has passed. */
  z.object({ by: z.literal("due_once") }),
  z.object({ by: z.literal("jobs_file") }),
  /** `count`: failures in a row. */
  z.object({ by: z.literal("failures"), count: z.number() }),
  /** The job may no longer run, or its reports cannot be posted. */
  z.object({ by: z.literal("refusal"), reason: z.string() }),
]);

/** What paused a job, unless it was a person. */
export type PauseCause = z.infer<typeof causeSchema>;

/** Older rows store every cause in words. */
const EARLIER: ReadonlyMap<string, PauseCause> = new Map([
  ["It was due once.", { by: "due_once" }],
  ["It is off in the file of jobs.", { by: "jobs_file" }],
]);

/** Reads a stored cause, which is JSON. */
export function pauseCauseOf(stored: string): PauseCause {
  return causeSchema.safeParse(fromJson(stored)).data ?? EARLIER.get(stored) ?? { by: "refusal", reason: stored };
}
