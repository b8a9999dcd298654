import { z } from "zod";
import type { ToolResult } from "../protocol/tool-result.ts";

/** Journalled by a tool just before its effect, so that a restart can tell whether the effect happened. */
export const writeIntentSchema = z.object({
  path: z.string(),
  /** sha256 of the file before (null: it did not exist) and after. */
  before: z.string().nullable(),
  after: z.string(),
  /** The topmost directory that is created with the file. */
  made: z.string().exactOptional(),
});
export type WriteIntent = z.infer<typeof writeIntentSchema>;

/** Progress of a run's call. */
export interface CallRecord {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  readonly status: "pending" | "begun" | "ended";
  readonly intent: WriteIntent | null;
  readonly result: ToolResult | null;
}
