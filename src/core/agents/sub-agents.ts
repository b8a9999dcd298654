import { mayDoMore } from "./definitions.ts";
import type { AgentDefinition } from "./query-config.ts";

/** Model calls of a sub-agent whose type and call say nothing else. */
export const CHILD_TURNS = 10;

/** The lesser of two access roles; one that is not known allows nothing, and is less than any. */
export function lesserAccess(a: string, b: string): string {
  return mayDoMore(a, b) ? b : a;
}

/** The type of a sub-agent that none was named for. */
export const WORKER = "worker";
/** The same of one whose parent hands all its work on. */
export const EXECUTOR = "executor";

/** Names of no agent's definition. */
export function isPlainType(name: string): boolean {
  return name === WORKER || name === EXECUTOR;
}

const WORKER_PROMPT =
  "You are worker. Another agent has handed you one piece of its task and reads nothing but your report. Do that piece whole and nothing beside it; where the assignment leaves something open, decide sensibly and say so.";

const AS_SUB_AGENT = `You are a sub-agent: the user messages are your assignment, and your last message is your report to the agent that gave it. That agent sees none of your work, so the report stands alone: the result first, then what it rests on, with exact paths, names and values; what you could not do; what you changed. You have few turns: make calls that do not depend on each other together, and report before you run out.`;

const IN_A_COPY =
  "Your files are a copy of your own: nobody else sees or changes them while you work, and what you have changed is merged once you have ended. Where they are of a git repository, the git tool shows its history and your changes, and commits nothing.";

/** A definition as a sub-agent's run uses it. `type` null: a worker; `isolated`: it works in a worktree. */
export function subAgent(
  type: AgentDefinition | null,
  limits: { readonly name: string; readonly access: string; readonly maxTurns: number },
  isolated: boolean,
): AgentDefinition {
  const base = type ?? { description: "", prompt: WORKER_PROMPT, visible: false };
  const prompt = [base.prompt, AS_SUB_AGENT, ...(isolated ? [IN_A_COPY] : [])].join("\n\n");
  return { ...base, ...limits, prompt };
}
