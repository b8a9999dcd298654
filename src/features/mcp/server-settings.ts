import type { z } from "zod";
import type { Permission } from "../../core/agents/query-config.ts";
import { matchesWildcard } from "../../core/text/wildcard.ts";
import type { Sink } from "../../core/trust/egress.ts";
import type { commandSchema, urlSchema } from "./settings/entry.ts";

/** The operator's settings of MCP servers, with references to variables replaced. */

/** Default time limit of a call, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** `title` is the server's name in the settings, if it differs from the name in its tools. */
type Settings<S extends z.ZodType> = Readonly<z.infer<S>> & { readonly title?: string };

export type McpCommandServer = Settings<typeof commandSchema>;
export type McpUrlServer = Settings<typeof urlSchema>;
export type McpServer = McpCommandServer | McpUrlServer;

export type McpToolSettings = NonNullable<McpServer["tools"]>[string];

/**
 * The permission that a tool needs: the tool's own setting, then the server's. The default is execute, since a native
 * program may do anything.
 */
export function permissionOf(server: McpServer, tool: string): Permission {
  return toolSettings(server, tool).permission ?? server.permission ?? "execute";
}

/** Whether the operator declares a tool to only look something up, without sending or changing anything. */
export function isHarmless(permission: Permission): boolean {
  return permission === "none" || permission === "read";
}

/**
 * The most sensitive data that may be sent to a tool without asking, even if untrusted text may have led the model to
 * write the call.
 */
export function sendUpTo(server: McpServer, tool: string): { readonly upTo?: Sink["send"] } {
  const send = toolSettings(server, tool).send ?? server.send;
  return send === undefined ? {} : { upTo: send };
}

export function timeoutOf(server: McpServer, tool: string): number {
  return toolSettings(server, tool).timeoutMs ?? server.timeoutMs ?? DEFAULT_TIMEOUT_MS;
}

/** Merges the settings that match a tool: its exact name overrides patterns, longer patterns override shorter ones. */
export function toolSettings(server: McpServer, tool: string): McpToolSettings {
  const rank = (name: string) => (name === tool ? Number.POSITIVE_INFINITY : name.length);
  const fitting = Object.entries(server.tools ?? {}).filter(([name]) => fits(name, tool));
  return Object.assign({}, ...fitting.toSorted(([a], [b]) => rank(a) - rank(b)).map(([, settings]) => settings));
}

function fits(pattern: string, tool: string): boolean {
  return matchesWildcard(pattern.split("*"), tool);
}

/** Why the settings leave the tool out; null if they do not. */
export function leftOutBy(server: McpServer, tool: string): string | null {
  if (toolSettings(server, tool).disabled === true) return "disabled in the settings";
  return server.onlyTools?.some((name) => fits(name, tool)) === false ? "not among `onlyTools` in the settings" : null;
}

/** Names and patterns in the settings that match none of a server's tools. */
export function unmetNames({ tools = {}, onlyTools = [] }: McpServer, listed: readonly string[]): readonly string[] {
  const named = new Set([...Object.keys(tools), ...onlyTools]);
  return [...named].filter((name) => name !== "*" && !listed.some((tool) => fits(name, tool)));
}

/** The origin of a server's texts, as labels and cards show it. */
export function originOfServer(title: string): string {
  return `MCP server ${title}`;
}

/** Where the server runs, as approval cards and `/tools` show it. */
export function serverLocation(name: string, server: McpServer): string {
  return "command" in server ? `a native program of server ${name}` : `server ${name} at ${new URL(server.url).host}`;
}
