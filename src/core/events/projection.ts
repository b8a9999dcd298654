import type { Label } from "../trust/label.ts";

/**
 * What requests carry instead of parts of a session's history, which stays whole in the store. It only ever grows, so
 * that between two changes each request begins with the bytes of the one before, for the prompt cache.
 */
export interface Projection {
  /** Number of changes so far. */
  readonly number: number;
  /** Number of tool results, from the session's first, that requests replace with a placeholder. */
  readonly evictedResults: number;
  readonly summary: Summary | null;
  /** Number of failed summaries in a row. */
  readonly failures: number;
}

export interface Summary {
  readonly text: string;
  /** Number of messages, from the session's first, that the summary replaces. */
  readonly messages: number;
  /** Length of the history when the summary was made. Thinking in it now belongs to another conversation. */
  readonly madeAt: number;
  /** Label of everything summarised; absent if unknown. */
  readonly label?: Label;
}

export const WHOLE_HISTORY: Projection = { number: 0, evictedResults: 0, summary: null, failures: 0 };
