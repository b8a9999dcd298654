import type { ThreadRef } from "../platform/thread.ts";
import type { FileStep } from "../store/run/undos.ts";

/** What happened to a file that should be restored. */
export type FileOutcome =
  /** The file has the wanted content, possibly already before. */
  | { readonly type: "restored" }
  /** Left alone because somebody else has changed it since. */
  | { readonly type: "changed" }
  /** The earlier content is not stored, because it was too large or too long ago. */
  | { readonly type: "not_kept" }
  /** Left alone because agents take instructions from the file and the person may not decide on such files. */
  | { readonly type: "instructs" }
  /** `reason` is a sentence. */
  | { readonly type: "failed"; readonly reason: string };

export interface RestoreRequest {
  readonly thread: ThreadRef;
  readonly steps: readonly FileStep[];
  /** Whether files that agents take instructions from may be restored. */
  readonly instructions: boolean;
}

/**
 * Changes files of a thread's sandbox root from one content to another. Each change is atomic and happens only if the
 * file still has the first content. Returns the outcomes in the order of the steps. Repeatable: finished steps count as
 * restored.
 */
export type RestoreFiles = (request: RestoreRequest) => Promise<readonly FileOutcome[]>;
