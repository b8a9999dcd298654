/** State of a thread, for somebody who looks at it from outside. */
export interface SessionSummary {
  readonly agent: string;
  readonly mode: "read" | "write" | "agi";
  readonly model: string;
  /** The steps of the newest run and its sub-agents, in the order in which they were asked for. */
  readonly steps: readonly RunStep[];
  /** Files that the thread's runs have changed, in order of first change. `isGone`: the file no longer exists. */
  readonly files: readonly { readonly path: string; readonly isGone: boolean }[];
  /** Tokens of the newest response and the size of the model's window; null while unknown. */
  readonly context: { readonly tokens: number; readonly window: number } | null;
  /** Cost of all the thread's runs, in US dollars; null if there were calls and no price is known. */
  readonly costUsd: number | null;
  readonly waiting: readonly WaitingFor[];
  readonly grants: readonly SummaryGrant[];
}

/** Something that people are asked. `id` is the approval's or the question's. */
export interface WaitingFor {
  readonly kind: "approval" | "question" | "plan";
  readonly id: string;
  readonly title: string;
  /** Milliseconds since the epoch; null if it does not expire. */
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

/** A tool call of a run, shortened for a list. */
export interface RunStep {
  readonly id: string;
  /** The sub-agent that made the call; null for the thread's own agent. */
  readonly agent: string | null;
  readonly tool: string;
  /** The short argument, as in progress lines. */
  readonly title: string;
  readonly state: "waiting" | "working" | "done" | "failed";
  /** As JSON. */
  readonly input: string;
  /** Null until the call has ended. */
  readonly result: string | null;
  /** Null until the call has ended, and if it did not run. Milliseconds. */
  readonly durationMs: number | null;
}

/** `working`: on its own; `waiting`: for a person. */
export type BusyState = "working" | "waiting";
