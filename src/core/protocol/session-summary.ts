/** How a thread stands, for somebody who looks at it from beside. */
export interface SessionSummary {
  readonly agent: string;
  readonly mode: "read" | "write" | "agi";
  readonly model: string;
  /** The steps of the newest run, its sub-agents' included, in the order in which they were asked for. */
  readonly steps: readonly RunStep[];
  /** Files that the thread's runs have changed, in order of first change; gone ones no longer exist. */
  readonly files: readonly { readonly path: string; readonly isGone: boolean }[];
  /** Tokens that the newest response was counted at, and that the model reads at once; null while not known. */
  readonly context: { readonly tokens: number; readonly window: number } | null;
  /** US dollars of all that the thread's runs have used; null where it was something, and no price is known. */
  readonly costUsd: number | null;
  readonly waiting: readonly WaitingFor[];
  readonly grants: readonly SummaryGrant[];
}

/** Something that a person is asked. `id` is the approval's or the question's. */
export interface WaitingFor {
  readonly kind: "approval" | "question" | "plan";
  readonly id: string;
  readonly title: string;
  /** Milliseconds since the epoch; null when it does not expire. */
  readonly expiresAt: number | null;
}

export interface SummaryGrant {
  readonly id: string;
  /** As people read it: `@ana`. */
  readonly grantedBy: string;
  /** What may be done, as people read it. */
  readonly what: string;
  readonly scope: "session" | "always";
}

/** A tool call of a run, cut for a list. */
export interface RunStep {
  readonly id: string;
  /** The sub-agent that made it; null for the thread's own agent. */
  readonly agent: string | null;
  readonly tool: string;
  /** The short argument, as progress lines have it. */
  readonly title: string;
  readonly state: "waiting" | "working" | "done" | "failed";
  /** As JSON. */
  readonly input: string;
  /** Null before the call has ended. */
  readonly result: string | null;
  /** Null before the call has ended, and when it did not run. Milliseconds. */
  readonly durationMs: number | null;
}

/** working: on its own; waiting: for a person. */
export type BusyState = "working" | "waiting";
