import type { Label } from "../trust/label.ts";

/**
 * What requests carry in place of parts of a session's history, which itself stays whole in the store. It only ever grows,
 * so that between two changes each request begins with the bytes of the one before.
 */
export interface Projection {
  /** How often it has changed. */
  readonly number: number;
  /** Tool results, counted from the session's first, that requests carry a placeholder of. */
  readonly evictedResults: number;
  readonly summary: Summary | null;
  /** Summaries in a row that failed. */
  readonly failures: number;
}

export interface Summary {
  readonly text: string;
  /** Messages, counted from the session's first, in whose place it stands. */
  readonly messages: number;
  /** Messages the history had when it was made: thinking within them belongs to another conversation now. */
  readonly madeAt: number;
  /** The label of all that it stands for; absent: nobody knows. */
  readonly label?: Label;
}

export const WHOLE_HISTORY: Projection = { number: 0, evictedResults: 0, summary: null, failures: 0 };
