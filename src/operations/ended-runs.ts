import type { QueryOutcome } from "../core/protocol/events.ts";
import type { RunHook } from "../core/run/run-hooks.ts";

interface EndedCount {
  readonly outcome: string;
  /** What kind of error it is; empty for other outcomes. */
  readonly code: string;
  readonly count: number;
}

/** What is counted from the beginning, so that the first of its kind is an increase. */
const OUTCOMES: Readonly<Record<QueryOutcome["type"], true>> = {
  end_turn: true,
  cancelled: true,
  budget_exceeded: true,
  max_turns: true,
  max_tokens: true,
  error: true,
};

/** How many runs this process has ended, by what they came to. */
export class EndedRuns {
  readonly hook: RunHook = {
    name: "metrics",
    ended: (outcome) => this.#add(outcome.type, outcome.type === "error" ? outcome.error.code : "", 1),
  };
  readonly #counts = new Map<string, EndedCount>();

  constructor() {
    for (const outcome of Object.keys(OUTCOMES)) this.#add(outcome, "", 0);
  }

  counts(): readonly EndedCount[] {
    return [...this.#counts.values()];
  }

  #add(outcome: string, code: string, count: number): void {
    const key = `${outcome} ${code}`;
    const before = this.#counts.get(key)?.count ?? 0;
    this.#counts.set(key, { outcome, code, count: before + count });
  }
}
