import type { ThreadRef } from "../protocol/platform.ts";
import type { FileStep } from "../store/run/undos.ts";

/** What became of a file that was to be put back. */
export type FileFate =
  /** It is as it was to be, also when it was so before. */
  | { readonly type: "restored" }
  /** It is not what it was when the step was made: somebody else has changed it. */
  | { readonly type: "changed" }
  /** What it held is not kept: too large, or too long ago. */
  | { readonly type: "not_kept" }
  /** Agents take instructions from it, and who asks may not decide on such files. */
  | { readonly type: "instructs" }
  /** `reason` is a sentence. */
  | { readonly type: "failed"; readonly reason: string };

export interface RestoreRequest {
  readonly thread: ThreadRef;
  readonly steps: readonly FileStep[];
  /** Whether files that agents take instructions from may be put back. */
  readonly instructions: boolean;
}

/**
 * Brings files of a thread's sandbox root from one content to another, each at once and only where it still has the first;
 * the fates are in the order of the steps. May be repeated: what is done counts as restored.
 */
export type RestoreFiles = (request: RestoreRequest) => Promise<readonly FileFate[]>;
