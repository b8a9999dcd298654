import type { GrowthPlace } from "./quotas/quotas.ts";
import { Refusal } from "./wasm/workspace/refusal.ts";

/** Files of their own for sub-agents: copies of those of whoever begins them. */
export interface OwnFiles {
  /** Copies the files of a sandbox root for a sub-agent, once; answers its own sandbox root. Throws Refusal. */
  make(sessionId: string, place: GrowthPlace, signal: AbortSignal): Promise<string>;
  /** What the sub-agent has changed in them, for the model that gave it the work. */
  changes(sessionId: string, signal: AbortSignal): Promise<string>;
  /** Where the git data of such a sandbox root are kept; null for any other root. */
  gitOf(sandboxRoot: string): string | null;
}

const NONE = "Sub-agents have no files of their own now.";

/** Where nothing provides any. */
export const NO_OWN_FILES: OwnFiles = {
  make: () => Promise.reject(new Refusal(NONE)),
  changes: () => Promise.resolve(`[What it changed cannot be shown. ${NONE}]`),
  gitOf: () => null,
};
