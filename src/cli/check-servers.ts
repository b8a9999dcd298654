import type { Config } from "../config/resolve.ts";
import type { Finding } from "./checks.ts";

/** Connects each MCP server once, and says what came of it. */
export type LookAtServers = (
  config: Config,
) => Promise<readonly { readonly name: string; readonly tools: number; readonly problem: string | null }[]>;

/** Servers that cannot be reached or are not rightly written; nothing where there are none. */
export async function checkServers(config: Config, lookAtServers: LookAtServers): Promise<Finding[]> {
  const { servers, idle } = config.mcp;
  const looks = Object.keys(servers).length === 0 ? [] : await lookAtServers(config);
  return [
    ...idle.map(({ name, why, isMistake }) => ({ ok: !isMistake, text: `MCP server ${name}: ${why}` })),
    ...looks.map(({ name, tools, problem }) => ({
      ok: problem === null,
      text: `MCP server ${problem ?? `${name}: ${tools} ${tools === 1 ? "tool" : "tools"}`}`,
    })),
  ];
}
