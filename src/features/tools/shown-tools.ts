import type { Mode } from "../../core/agents/query-config.ts";
import { capabilitiesSummary } from "../../core/capabilities.ts";
import { offeredTools } from "../../core/permissions/tool-access.ts";
import { narrowTools } from "../../core/skills/skill-narrowing.ts";
import type { Tool } from "../../core/tool.ts";
import type { TeamTool, TeamToolDetails } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";

export type ToolsHost = Pick<FeatureHost, "tools" | "agents" | "allowedHosts">;

const MODE: Mode = "write";

/** All tools, by name. */
export function shownTools({ tools, agents, allowedHosts }: ToolsHost): TeamTool[] {
  const all = tools();
  const usedBy = new Map<string, string[]>(all.map(({ tool }) => [tool.name, []]));
  for (const [agentName, { access: role, tools: own, disallowedTools }] of agents()) {
    const offered = offeredTools(
      all.map(({ tool }) => tool),
      {
        agentName,
        role,
        mode: MODE,
        toolAllow: own && narrowTools(undefined, own),
        disallowed: disallowedTools,
      },
    );
    for (const { name } of offered) usedBy.get(name)?.push(agentName);
  }
  return all
    .map(({ tool, source }) => shownTool({ tool, source, agents: usedBy.get(tool.name) ?? [], allowedHosts }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Null if there is no tool of that name. */
export function toolDetails(name: string, host: ToolsHost): TeamToolDetails | null {
  const found = host.tools().find(({ tool }) => tool.name === name);
  const shown = shownTools(host).find((each) => each.name === name);
  if (found === undefined || shown === undefined) return null;
  const { description, inputSchema } = found.tool;
  return { ...shown, description, schema: JSON.stringify(inputSchema(), null, 2) };
}

interface Known extends Pick<TeamTool, "source" | "agents">, Pick<ToolsHost, "allowedHosts"> {
  readonly tool: Tool;
}

function shownTool({ tool, source, agents, allowedHosts }: Known): TeamTool {
  const { name, permission, capabilities, sends, deferred, parallel, afterCrash } = tool;
  const reach = capabilities?.(null, { readOnly: false, allowedHosts });
  return {
    name,
    source,
    permission,
    asks: permission === "write" || permission === "execute",
    reach: reach === undefined ? "" : capabilitiesSummary(reach),
    sends: sends !== undefined,
    isOffered: deferred === undefined,
    isParallel: parallel,
    afterCrash,
    agents,
  };
}
