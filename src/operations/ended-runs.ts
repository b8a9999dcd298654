import type { QueryOutcome } from "../core/protocol/events.ts";
import type { RunHook } from "../core/run/run-hooks.ts";

interface EndedCount {
  readonly outcome: string;
  /** The error's code; empty for other outcomes. */
  readonly code: string;
  readonly count: number;
}

/** Outcomes counted from zero, so that the first of its kind shows as an increase. */
const OUTCOMES: Readonly<Record<QueryOutcome["type"], true>> = {
  end_turn: true,
  cancelled: true,
  budget_exceeded: true,
  max_turns: true,
  max_tokens: true,
  error: true,
};

/** Counts the runs that this process has ended, by outcome. */
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
