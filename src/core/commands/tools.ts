import type { QueryConfig } from "../agents/query-config.ts";
import { capabilitiesSummary } from "../capabilities.ts";
import type { ChatCommand, CommandContext } from "../command-line/command.ts";
import { effectiveSession } from "../command-line/session-to-change.ts";
import { textTable } from "../command-line/text-table.ts";
import { offeredTools, toolAccessOf } from "../permissions/tool-access.ts";
import { privateMessage } from "../platform/replies.ts";
import { narrowTools } from "../skills/skill-narrowing.ts";

export const toolsCommand: ChatCommand = {
  name: "tools",
  description: "list my tools, and which of them I may use here",
  permission: "everyone",
  run: async (_line, context) => privateMessage(await toolsText(context)),
};

/** The settings for the next run here, with delegation and the active skill applied. */
async function configHere(context: CommandContext): Promise<QueryConfig> {
  const here = effectiveSession(context);
  const config = context.delegate(context.configOf(here), here.settings);
  const { activeSkill } = context.session?.settings ?? {};
  if (activeSkill === undefined) return config;
  const tools = (await context.skillsOf(context.thread)).find(activeSkill)?.tools ?? null;
  return tools === null ? config : { ...config, toolAllow: narrowTools(config.toolAllow, tools) };
}

async function toolsText(context: CommandContext): Promise<string> {
  const config = await configHere(context);
  const { mode, delegation } = config;
  const { name: agentName, access: role } = config.agentDefinition;
  const tools = (await context.tools()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const offered = new Set(offeredTools(tools, toolAccessOf(config)).map(({ name }) => name));
  const readOnly = role !== "full" || mode === "read";
  const place = { readOnly, allowedHosts: context.allowedHosts };
  const rows = tools.map(({ name, permission, source, capabilities }) => {
    const asks = mode === "write" && (permission === "write" || permission === "execute");
    const reach = capabilities === undefined ? "" : capabilitiesSummary(capabilities(null, place));
    return [name, permission, offered.has(name) ? (asks ? "asks first" : "yes") : "no", source, reach];
  });
  return [
    `Agent **${agentName}** (${role}), mode **${mode}**: ${offered.size} of ${tools.length} tools.`,
    ...(delegation === undefined ? [] : [delegation.descriptions.tools]),
    ...context.toolProblems().map((problem) => `⚠ ${problem}`),
    textTable([["tool", "permission", "here", "source", "reach"], ...rows]),
  ].join("\n");
}
