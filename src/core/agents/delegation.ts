/** The access role of runs that look, plan and delegate all work to sub-agents. */
export const MANAGER_ROLE = "manager";

/** How a run delegates its work. */
export interface Delegation {
  /** The session's own access role and model, which its sub-agents get. */
  readonly access: string;
  readonly model: string;
  /** `provider/model` of sub-agents. If absent, that of their type or of the session. */
  readonly subAgentModel?: string;
  /** Maximum number of model calls of a sub-agent. */
  readonly maxTurns: number;
  /** Maximum number of sub-agents at work at once. The others wait for a slot. */
  readonly concurrencyLimit: number;
  /** Budget in US dollars of one task tree (`taskTreeOf`): the run and its sub-agents together. */
  readonly taskTreeUsd?: number;
  /** Whether each sub-agent works in its own copy of the files. */
  readonly isolated: boolean;
  /** Sentences for people: the delegation in force, and who has which tools. */
  readonly descriptions: { readonly state: string; readonly tools: string };
}
