import type { Delegation } from "./delegation.ts";

/** What a call needs from access roles and modes, from harmless to dangerous. */
export type Permission = "none" | "read" | "write" | "execute";

export type EffortLevel = "low" | "medium" | "high" | "max";
export type OutputStyle = "default" | "explanatory" | "learning" | "concise" | "formal" | "casual";
export type AccessRole = "full" | "read-only" | "search-only";
/** read: only none/read tools are offered; write: write and execute calls ask; agi: no asking. */
export type Mode = (typeof MODES)[number];

/** From the one that can do least. */
export const MODES = ["read", "write", "agi"] as const;

export function isAbove(mode: Mode, other: Mode): boolean {
  return MODES.indexOf(mode) > MODES.indexOf(other);
}

export type AgentColor =
  | "red"
  | "orange"
  | "yellow"
  | "green"
  | "cyan"
  | "blue"
  | "purple"
  | "brown"
  | "black"
  | "white";

export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  /** An `AccessRole`. A string, because it comes from files: one that is not known allows no tools. */
  readonly access: string;
  readonly visible: boolean;
  /** Those that it may use of the tools that `access` leaves it. */
  readonly tools?: readonly string[];
  /** Those that it may not use. */
  readonly disallowedTools?: readonly string[];
  readonly model?: string;
  /** Where it has no model of its own, the configured quick one answers. */
  readonly fast?: boolean;
  readonly temperature?: number;
  readonly maxTurns?: number;
  readonly color?: AgentColor;
}

/** Everything that shapes how a query runs. Optional fields fall back to the model's or the agent's own. */
export interface QueryConfig {
  readonly model: string;
  /** Most tokens of one model call's output. */
  readonly maxTokens: number;
  readonly maxTurns: number;
  /** Overrides the base instructions. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly outputStyle: OutputStyle;
  readonly outputStylePrompt?: string;
  readonly workingDirectory: string;
  /** Tokens. Overrides what the effort level implies. */
  readonly thinkingBudget?: number;
  readonly temperature?: number;
  /** Characters of tool results that stay in a request. */
  readonly toolResultBudget: number;
  readonly effortLevel?: EffortLevel;
  readonly maxBudgetUsd?: number;
  readonly fallbackModel?: string;
  readonly agentDefinition: AgentDefinition;
  readonly mode: Mode;
  /** Tools that may be used beyond the mode, without asking: a job's. */
  readonly grantedTools?: readonly string[];
  /** When set, only these tools are offered. */
  readonly toolAllow?: readonly string[];
  /** Tokens. Overrides what is known of the model. */
  readonly contextWindow?: number;
  /** Set where the run does no work itself. */
  readonly delegation?: Delegation;
  /** Fields that every log line of the query carries. */
  readonly logContext: Readonly<Record<string, string>>;
}

/** The permissions a mode offers at all. */
export const OFFERED_PERMISSIONS: Readonly<Record<Mode, readonly Permission[]>> = {
  read: ["none", "read"],
  write: ["none", "read", "write", "execute"],
  agi: ["none", "read", "write", "execute"],
};
