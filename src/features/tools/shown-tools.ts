import type { Mode } from "../../core/agents/query-config.ts";
import { shortReachOf } from "../../core/capabilities.ts";
import { offeredTools } from "../../core/permissions/tool-access.ts";
import type { AfterCrash, Tool } from "../../core/tool.ts";
import type { FeatureHost } from "../../feature.ts";

/** A tool as the page lists it. */
export interface ShownTool {
  readonly name: string;
  /** `built in`, `MCP server docs, not sandboxed` */
  readonly source: string;
  readonly permission: Tool["permission"];
  /** People are asked before each call in mode write, but for what was allowed for longer. */
  readonly asks: boolean;
  /** `reads files · no network · 30 s`; empty for a tool that runs nothing of others. */
  readonly reach: string;
  /** Data leaves by its calls. */
  readonly sends: boolean;
  /** Each request tells of it; otherwise a model finds it when it needs it. */
  readonly isOffered: boolean;
  /** Calls of it run beside others of their turn. */
  readonly isParallel: boolean;
  readonly afterCrash: AfterCrash;
  /** Agents that may use it in mode write. */
  readonly agents: readonly string[];
}

/** A tool with what models read of it. */
export interface ToolDetails extends ShownTool {
  readonly description: string;
  /** JSON Schema of its arguments, indented. */
  readonly schema: string;
}

export type ToolsHost = Pick<FeatureHost, "tools" | "agents" | "allowedHosts">;

const MODE: Mode = "write";

/** By name. */
export function shownTools({ tools, agents, allowedHosts }: ToolsHost): ShownTool[] {
  const all = tools();
  const usedBy = new Map<string, string[]>(all.map(({ tool }) => [tool.name, []]));
  for (const [agentName, { access: role }] of agents()) {
    const offered = offeredTools(
      all.map(({ tool }) => tool),
      { agentName, role, mode: MODE },
    );
    for (const { name } of offered) usedBy.get(name)?.push(agentName);
  }
  return all
    .map(({ tool, source }) => shownTool({ tool, source, agents: usedBy.get(tool.name) ?? [], allowedHosts }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Null: there is no tool of that name. */
export function toolDetails(name: string, host: ToolsHost): ToolDetails | null {
  const found = host.tools().find(({ tool }) => tool.name === name);
  const shown = shownTools(host).find((each) => each.name === name);
  if (found === undefined || shown === undefined) return null;
  const { description, inputSchema } = found.tool;
  return { ...shown, description, schema: JSON.stringify(inputSchema(), null, 2) };
}

interface Known extends Pick<ShownTool, "source" | "agents">, Pick<ToolsHost, "allowedHosts"> {
  readonly tool: Tool;
}

function shownTool({ tool, source, agents, allowedHosts }: Known): ShownTool {
  const { name, permission, capabilities, sends, deferred, parallel, afterCrash } = tool;
  const reach = capabilities?.(null, { readOnly: false, allowedHosts });
  return {
    name,
    source,
    permission,
    asks: permission === "write" || permission === "execute",
    reach: reach === undefined ? "" : shortReachOf(reach),
    sends: sends !== undefined,
    isOffered: deferred === undefined,
    isParallel: parallel,
    afterCrash,
    agents,
  };
}
