import type { Permission } from "../../core/tool.ts";

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
  /** Of all the server's tools that say nothing else. */
  readonly permission?: Permission;
  readonly timeoutMs?: number;
  /** By the server's own names. */
  readonly tools?: Readonly<Record<string, McpToolSettings>>;
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

/** Where the server runs, for people: approval cards and `/tools`. */
export function whereabouts(name: string, server: McpServer): string {
  return "command" in server ? `a native program of server ${name}` : `server ${name} at ${new URL(server.url).host}`;
}
