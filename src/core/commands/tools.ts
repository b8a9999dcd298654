import { shortReachOf } from "../capabilities.ts";
import { offeredTools } from "../permissions/policy.ts";
import type { ChatCommand, CommandContext } from "./command.ts";
import { privately } from "./private-reply.ts";
import { hereOf } from "./session-to-change.ts";
import { textTable } from "./text-table.ts";

/** Rows of one message. */
const MOST_SHOWN = 30;

export const toolsCommand: ChatCommand = {
  name: "tools",
  description: "the tools I have, and which of them I may use here",
  permission: "everyone",
  run: async (_line, context) => privately(await toolsText(context)),
};

async function toolsText(context: CommandContext): Promise<string> {
  const { mode, agentDefinition, toolAllow } = context.configOf(hereOf(context));
  const { name: agentName, access: role } = agentDefinition;
  const tools = (await context.tools()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const allow = toolAllow === undefined ? {} : { toolAllow };
  const offered = new Set(offeredTools(tools, { agentName, role, mode, ...allow }).map(({ name }) => name));
  const readOnly = role !== "full" || mode === "read";
  const place = { readOnly, allowedHosts: context.allowedHosts };
  const rows = tools.map(({ name, permission, source, capabilities }) => {
    const asks = mode === "write" && (permission === "write" || permission === "execute");
    const reach = capabilities === undefined ? "" : shortReachOf(capabilities(null, place));
    return [name, permission, offered.has(name) ? (asks ? "asks first" : "yes") : "no", source, reach];
  });
  const more = rows.length - MOST_SHOWN;
  return [
    `Agent **${agentName}** (${role}), mode **${mode}**: ${offered.size} of ${tools.length} tools.`,
    textTable([["tool", "permission", "here", "source", "reach"], ...rows.slice(0, MOST_SHOWN)]),
    ...(more > 0 ? [`… and ${more} more.`] : []),
  ].join("\n");
}
