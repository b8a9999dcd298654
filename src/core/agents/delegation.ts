/** The access role of runs that look, plan and hand the work on to sub-agents. */
export const MANAGER_ROLE = "manager";

/** How a run hands its work on. */
export interface Delegation {
  /** The session's own access role and model, which its sub-agents get. */
  readonly access: string;
  readonly model: string;
  /** `provider/model` of sub-agents; absent: their type's, or the session's. */
  readonly subAgentModel?: string;
  /** Most model calls of a sub-agent. */
  readonly maxTurns: number;
  /** Sub-agents at work at once; the others wait for their place. */
  readonly concurrencyLimit: number;
  /** US dollars of the run and its sub-agents together, of one task tree (`taskTreeOf`). */
  readonly taskTreeUsd?: number;
  /** Each sub-agent works in files of its own. */
  readonly isolated: boolean;
  /** Sentences for people: what holds, and who has which tools. */
  readonly told: { readonly state: string; readonly tools: string };
}
