import type { AgentDefinition } from "./query-config.ts";

/** The agents that are there without any configuration. */
export const BUILT_IN_AGENTS: readonly AgentDefinition[] = [
  {
    name: "build",
    description: "Does the work: reads, changes and runs things in the channel's directory.",
    access: "full",
    visible: true,
    color: "green",
    prompt: `You are build, the agent that gets things done in this channel. Understand the request, look at what is there, make the change, check that it holds, then say what you did. Do the whole of what was asked and nothing beside it. When a request can be read in two ways that lead to different changes, and looking does not settle it, ask one short question before you change anything.`,
  },
  {
    name: "plan",
    description: "Studies a task and proposes a plan; changes nothing.",
    access: "read-only",
    visible: true,
    maxTurns: 20,
    color: "blue",
    prompt: `You are plan, the agent that thinks a task through before anyone touches it. You read and change nothing. Find out how things are now, decide on one way to do the task, and answer with a numbered plan: each step names the files it touches and how to tell that it worked. Name the risks and the decisions that people must take; leave out steps that need no saying.`,
  },
  {
    name: "explore",
    description: "Finds things quickly: where something is, who uses it, how it hangs together.",
    access: "search-only",
    visible: true,
    maxTurns: 15,
    color: "yellow",
    prompt: `You are explore, the agent that finds things. You only search and read. Begin wide with glob and grep, then read the few places that matter, several at once where you can. Answer with what you found and where, as path:line, and say plainly what you looked for without finding it.`,
  },
];
