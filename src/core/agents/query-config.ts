import type { Delegation } from "./delegation.ts";

/** What a call demands of access roles and modes, from harmless to dangerous. */
export type Permission = "none" | "read" | "write" | "execute";

export type EffortLevel = (typeof EFFORT_LEVELS)[number];
/** All effort levels, least thinking first. */
export const EFFORT_LEVELS = ["low", "medium", "high", "max"] as const;

export type OutputStyle = "default" | "explanatory" | "learning" | "concise" | "formal" | "casual";
export type AccessRole = "full" | "read-only" | "search-only";
/** read: only none/read tools are offered; write: write and execute calls need approval; agi: no approvals. */
export type Mode = (typeof MODES)[number];

/** All modes, least powerful first. */
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
  /** An `AccessRole`. It is a string because it comes from files; an unknown one allows no tools. */
  readonly access: string;
  readonly visible: boolean;
  /** If present, only these of the tools that `access` allows may be used. */
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly model?: string;
  /** Whether the configured fast model answers if the agent has no model of its own. */
  readonly fast?: boolean;
  readonly temperature?: number;
  readonly maxTurns?: number;
  readonly color?: AgentColor;
}

/** Everything that shapes how a query runs. Absent fields fall back to the model's or the agent's own values. */
export interface QueryConfig {
  readonly model: string;
  /** Maximum number of output tokens of one model call. */
  readonly maxTokens: number;
  readonly maxTurns: number;
  /** Overrides the base instructions. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly outputStyle: OutputStyle;
  readonly outputStylePrompt?: string;
  readonly workingDirectory: string;
  /** In tokens. Overrides what the effort level implies. */
  readonly thinkingBudget?: number;
  readonly temperature?: number;
  /** Maximum length of all tool results in a request, in characters. */
  readonly toolResultBudget: number;
  readonly effortLevel?: EffortLevel;
  readonly maxBudgetUsd?: number;
  readonly fallbackModel?: string;
  readonly agentDefinition: AgentDefinition;
  readonly mode: Mode;
  /** Tools that a job may use beyond its mode and without approval. */
  readonly grantedTools?: readonly string[];
  /** When set, only these tools are offered. */
  readonly toolAllow?: readonly string[];
  /** In tokens. Overrides the model's known window. */
  readonly contextWindow?: number;
  /** Present if the run delegates all its work. */
  readonly delegation?: Delegation;
  /** Fields added to every log line of the query. */
  readonly logContext: Readonly<Record<string, string>>;
}

/** The permissions that each mode offers. */
export const OFFERED_PERMISSIONS: Readonly<Record<Mode, readonly Permission[]>> = {
  read: ["none", "read"],
  write: ["none", "read", "write", "execute"],
  agi: ["none", "read", "write", "execute"],
};
