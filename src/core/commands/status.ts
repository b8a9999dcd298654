import type { QueryConfig } from "../agents/query-config.ts";
import type { ChatCommand, CommandContext } from "../command-line/command.ts";
import { busyThreadLines } from "../command-line/outside-threads.ts";
import { effectiveSession } from "../command-line/session-to-change.ts";
import { type SessionState, stateOf } from "../history/session-state.ts";
import { usedContext } from "../history/session-summary.ts";
import { privateMessage } from "../platform/replies.ts";
import { assertNever } from "../protocol/assert-never.ts";
import type { WaitingFor } from "../protocol/session-summary.ts";
import type { SessionRow } from "../store/sessions.ts";
import { counted } from "../text/counted.ts";
import { figure } from "../text/dollars.ts";

export const statusCommand: ChatCommand = {
  name: "status",
  description: "what I am doing in this thread",
  permission: "everyone",
  async run(_line, context) {
    const { session } = context;
    if (session === null) return privateMessage(await outsideText(context));
    return privateMessage(await statusText(session, context));
  },
};

async function outsideText(context: CommandContext): Promise<string> {
  const lines = await busyThreadLines(context);
  if (lines.length > 0) return lines.join("\n");
  return `There is no session here yet. ${context.isDirect ? "Write to me" : "Mention me in this channel"} to start one.`;
}

async function statusText(session: SessionRow, context: CommandContext): Promise<string> {
  const { store } = context;
  const [state, messages] = await Promise.all([stateOf(store, session.id), store.messages.countOf(session.id)]);
  const here = effectiveSession(context);
  const { mode, model, agentDefinition, delegation } = context.delegate(context.configOf(here), here.settings);
  const { activeSkill } = session.settings;
  const gauge = await gaugeText(session, context.delegate(context.configOf(session), session.settings), context);
  const delegates = delegation === undefined ? "" : ` ${delegation.descriptions.state}`;
  const skill = activeSkill === undefined ? "" : ` The skill **${activeSkill}** is on (\`/skill off\` turns it off).`;
  return `${stateText(state)} Agent **${agentDefinition.name}**, mode ${mode}, \`${model}\`, ${messages} messages in this session.${delegates}${skill}${gauge}`;
}

function stateText(state: SessionState): string {
  switch (state.type) {
    case "idle":
      return "✓ Nothing is running.";
    case "asks":
      return `⏸ Waiting for ${state.asks.map(askText).join("; ")}.`;
    case "works": {
      const { turns, subAgents } = state;
      const own = turns === null ? "in the background" : `turn ${Math.max(1, turns)}`;
      const below = subAgents === 0 ? "" : ` · ${counted(subAgents, "sub-agent")} running`;
      return `⏳ Working · ${own}${below}.`;
    }
    default:
      return assertNever(state);
  }
}

function askText({ kind, title }: WaitingFor): string {
  switch (kind) {
    case "approval":
      return `a decision: ${title}`;
    case "plan":
      return "a decision on the plan";
    case "question":
      return `an answer: ${title}`;
    default:
      return assertNever(kind);
  }
}

/** How full the model's window was at the newest response; empty before the first one. */
async function gaugeText({ id }: SessionRow, config: QueryConfig, context: CommandContext): Promise<string> {
  const used = await usedContext(id, config, context);
  if (used === null) return "";
  const { tokens, window, isShortened } = used;
  if (isShortened) return " Its context was just shortened; the next answer shows by how much.";
  return ` Context: ${Math.round((tokens / window) * 100)} % (${figure(tokens)} of ${figure(window)} tokens).`;
}
