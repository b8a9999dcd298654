import type { Finding } from "../../cli/checks.ts";
import type { McpOptions } from "./connections.ts";
import { lookAtMcpServers } from "./look-at-servers.ts";
import type { McpConfig } from "./settings/read-servers.ts";

/** Servers that cannot be reached or are not rightly written; nothing where there are none. */
export async function checkServers(
  mcp: McpConfig,
  world: Pick<McpOptions, "version" | "clock" | "random" | "log">,
): Promise<Finding[]> {
  const looks = Object.keys(mcp.servers).length === 0 ? [] : await lookAtMcpServers({ ...mcp, ...world });
  return [
    ...mcp.idle.map(({ name, why, isMistake }) => ({ ok: !isMistake, text: `MCP server ${name}: ${why}` })),
    ...looks.map(({ name, tools, kinds, problem }) => ({
      ok: problem === null,
      text: `MCP server ${problem ?? [`${name}: ${tools} ${tools === 1 ? "tool" : "tools"}`, kinds].filter((part) => part !== "").join("; ")}`,
    })),
  ];
}
