import type { GrowthPlace } from "./quotas/quotas.ts";
import { Refusal } from "./wasm/workspace/refusal.ts";

export interface OwnFiles {
  /** Copies the files of a sandbox root for a sub-agent, once, and returns its own sandbox root. Throws Refusal. */
  make(sessionId: string, place: GrowthPlace, signal: AbortSignal): Promise<string>;
  /** Describes what the sub-agent has changed in its files, for the model that gave it the work. */
  changes(sessionId: string, signal: AbortSignal): Promise<string>;
  /** Directory with the git data of a sub-agent's sandbox root; null for any other root. */
  gitOf(sandboxRoot: string): string | null;
}

const NONE = "Sub-agents do not have their own copies of the files at the moment.";

/** Used if nothing provides own files. */
export const NO_OWN_FILES: OwnFiles = {
  make: () => Promise.reject(new Refusal(NONE)),
  changes: () => Promise.resolve(`[Its changes cannot be shown. ${NONE}]`),
  gitOf: () => null,
};
