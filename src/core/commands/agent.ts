import { mayDoMore, signedName } from "../agents/definitions.ts";
import type { AgentDefinition } from "../agents/query-config.ts";
import { firstWord } from "../command-line/arguments.ts";
import type { ChatCommand, CommandContext, CommandReply } from "../command-line/command.ts";
import { agentCompletions } from "../command-line/completions.ts";
import { mayRaise } from "../command-line/may-use.ts";
import { didYouMean, nearest } from "../command-line/nearest.ts";
import { quoteInput } from "../command-line/quote-input.ts";
import { NO_THREAD, sessionToChange } from "../command-line/session-to-change.ts";
import { agentSwitched, stillRunning, switchAgent } from "../history/agent-switch.ts";
import { privateMessage } from "../platform/replies.ts";
import { cut } from "../text/plain-text.ts";

/** Maximum length of a description, in characters. Many descriptions tell a model at length when to delegate. */
const DESCRIPTION_CHARS = 200;

export const agentCommand: ChatCommand = {
  name: "agent",
  description: "list the agents, or switch to another one",
  usage: "[name] [what to do]",
  permission: "people",
  onlyShows: (line) => line === "",
  options: [
    { name: "name", description: "the agent to switch to", complete: agentCompletions },
    { name: "prompt", description: "what it should do first" },
  ],
  async run(line, context) {
    const { word, rest } = firstWord(line);
    const name = word.replace(/^@/, "").toLowerCase();
    if (name === "") return privateMessage(agentList(context));
    const agent = context.agents.get(name);
    if (agent === undefined) return privateMessage(unknown(name, context));
    if (!agent.visible) return privateMessage(`**${name}** works only for other agents. ${choices(context)}`);
    const refusal = agentRefusal(agent, context);
    if (refusal !== null) return privateMessage(refusal);
    return rest === "" ? switchTo(name, context) : { run: rest, agent: name };
  },
};

/** Why the person may not let this agent answer here; null if they may. */
export function agentRefusal({ name, access }: AgentDefinition, context: CommandContext): string | null {
  const { channelKey } = context;
  const usual = context.configOf({ channelKey, agent: context.agentOf(channelKey), settings: {} });
  if (!mayDoMore(access, usual.agentDefinition.access) || mayRaise(context)) return null;
  return `**${name}** may do more than **${usual.agentDefinition.name}**, this channel's agent. Only admins and approvers can switch to it.`;
}

async function switchTo(name: string, context: CommandContext): Promise<CommandReply> {
  const session = await sessionToChange(context);
  if (session === null) return privateMessage(`${NO_THREAD} Or give it a task right away: \`/agent ${name} …\`.`);
  if (session.agent === name) return privateMessage(`**${name}** already answers here.`);
  const at = context.runtime.clock.now();
  const isDone = await context.store.transaction((tx) => switchAgent(tx, { sessionId: session.id, agent: name, at }));
  return privateMessage(isDone ? agentSwitched(name, session.agent) : stillRunning(session.agent));
}

function visibleAgents({ agents }: CommandContext) {
  return [...agents.values()].filter(({ visible }) => visible);
}

function agentList(context: CommandContext): string {
  const { session, agentOf, channelKey } = context;
  const here = session?.agent ?? agentOf(channelKey);
  const lines = visibleAgents(context).map((agent) => {
    const { name, description, access } = agent;
    return `${signedName(agent)}${name === here ? " (answers here)" : ""} · ${cut(description, DESCRIPTION_CHARS)} (${access})`;
  });
  return [...lines, "", "To switch, use `/agent <name>` or start a message with `@<name> …`."].join("\n");
}

function unknown(name: string, context: CommandContext): string {
  const names = visibleAgents(context).map((agent) => agent.name);
  return `I don't know the agent ${quoteInput(name)}.${didYouMean(nearest(name, names), choices(context))}`;
}

function choices(context: CommandContext): string {
  const names = visibleAgents(context).map(({ name }) => `\`${name}\``);
  return `Agents: ${names.join(", ")}.`;
}
