import type { ToolResult } from "../protocol/tool-result.ts";

/** Journalled by a tool just before its effect, so that a restart can tell whether the effect happened. */
export interface WriteIntent {
  readonly path: string;
  /** sha256 of the file before (null: it did not exist) and after. */
  readonly before: string | null;
  readonly after: string;
  /** The topmost directory that is created with the file. */
  readonly made?: string;
}

/** Progress of a run's call. */
export interface CallRecord {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  readonly status: "pending" | "begun" | "ended";
  readonly intent: WriteIntent | null;
  readonly result: ToolResult | null;
}
