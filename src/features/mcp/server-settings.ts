import type { Permission } from "../../core/agents/query-config.ts";

/** What the operator says of an MCP server; references to variables are replaced. */

/** Milliseconds until a call is given up, unless the settings say otherwise. */
export const DEFAULT_TIMEOUT_MS = 60_000;

export interface McpToolSettings {
  readonly permission?: Permission;
  readonly timeoutMs?: number;
  /** Calls may run beside others of their turn, if the server says that the tool only reads. */
  readonly parallel?: boolean;
  readonly disabled?: boolean;
}

interface ServerSettings {
  /** As it is called in the settings, where that is not what its tools' names hold. */
  readonly title?: string;
  /** What it is for, in the operator's words. */
  readonly description?: string;
  /** What holds for all the server's tools that say nothing else. */
  readonly permission?: Permission;
  readonly timeoutMs?: number;
  /** By the server's own names. */
  readonly tools?: Readonly<Record<string, McpToolSettings>>;
  /** By the server's own names; the others are left out. */
  readonly onlyTools?: readonly string[];
}

export interface McpCommandServer extends ServerSettings {
  readonly command: string;
  readonly args?: readonly string[];
  /** Beside what every server's program gets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface McpUrlServer extends ServerSettings {
  readonly url: string;
  /** `sse`: it speaks the transport of the revision 2024-11-05. Anything else is found out by asking. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type McpServer = McpCommandServer | McpUrlServer;

/** What holds for one tool: its own settings before the server's. A native program may do anything: execute. */
export function permissionOf(server: McpServer, tool: string): Permission {
  return toolSettings(server, tool).permission ?? server.permission ?? "execute";
}

export function timeoutOf(server: McpServer, tool: string): number {
  return toolSettings(server, tool).timeoutMs ?? server.timeoutMs ?? DEFAULT_TIMEOUT_MS;
}

export function toolSettings(server: McpServer, tool: string): McpToolSettings {
  const tools = server.tools ?? {};
  return Object.hasOwn(tools, tool) ? (tools[tool] ?? {}) : {};
}

/** Null for a tool that is taken; else why the settings leave it out. */
export function leftOutBy(server: McpServer, tool: string): string | null {
  if (toolSettings(server, tool).disabled === true) return "disabled in the settings";
  return server.onlyTools?.includes(tool) === false ? "not among `onlyTools` in the settings" : null;
}

/** Where the server runs, for people: approval cards and `/tools`. */
export function whereabouts(name: string, server: McpServer): string {
  return "command" in server ? `a native program of server ${name}` : `server ${name} at ${new URL(server.url).host}`;
}
