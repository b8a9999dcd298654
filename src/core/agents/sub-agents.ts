import { mayDoMore } from "./definitions.ts";
import type { AgentDefinition } from "./query-config.ts";

/** Default maximum number of model calls of a sub-agent. */
export const CHILD_TURNS = 10;

/** The lesser of two access roles. An unknown role allows nothing and is less than any other. */
export function lesserAccess(a: string, b: string): string {
  return mayDoMore(a, b) ? b : a;
}

/** The default type of a sub-agent. */
export const WORKER = "worker";
/** The default type of a sub-agent whose parent delegates all its work. */
export const EXECUTOR = "executor";

/** Whether a type is one of these defaults, which have no agent definition. */
export function isPlainType(name: string): boolean {
  return name === WORKER || name === EXECUTOR;
}

const WORKER_PROMPT =
  "You are worker. Another agent has given you one piece of its task and reads only your report. Do all of that piece and nothing else; where the assignment leaves something open, decide sensibly and say so.";

const AS_SUB_AGENT = `You are a sub-agent: the user messages are your assignment, and your last message is your report to the agent that gave it. That agent sees none of your work, so the report must stand alone: the result first, then the evidence, with exact paths, names and values; what you could not do; what you changed. You have few turns: make independent calls together, and report before you run out.`;

const IN_A_COPY =
  "You work in your own copy of the files: nobody else sees or changes it while you work, and your changes are merged after you finish. In a git repository, the git tool shows its history and your changes; it commits nothing.";

/**
 * The definition for a sub-agent's run. A null `type` means the default one; `isolated` means that it works in a
 * worktree.
 */
export function subAgent(
  type: AgentDefinition | null,
  limits: { readonly name: string; readonly access: string; readonly maxTurns: number },
  isolated: boolean,
): AgentDefinition {
  const base = type ?? { description: "", prompt: WORKER_PROMPT, visible: false };
  const prompt = [base.prompt, AS_SUB_AGENT, ...(isolated ? [IN_A_COPY] : [])].join("\n\n");
  return { ...base, ...limits, prompt };
}
