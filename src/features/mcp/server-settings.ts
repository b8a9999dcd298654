import type { z } from "zod";
import type { Permission } from "../../core/agents/query-config.ts";
import type { Sink } from "../../core/trust/egress.ts";
import type { commandSchema, urlSchema } from "./settings/entry.ts";

/** What the operator says of an MCP server; references to variables are replaced. */

/** Milliseconds until a call is given up, unless the settings say otherwise. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** `title`: as it is called in the settings, where that is not what its tools' names hold. */
type Settings<S extends z.ZodType> = Readonly<z.infer<S>> & { readonly title?: string };

export type McpCommandServer = Settings<typeof commandSchema>;
export type McpUrlServer = Settings<typeof urlSchema>;
export type McpServer = McpCommandServer | McpUrlServer;

export type McpToolSettings = NonNullable<McpServer["tools"]>[string];

/** What holds for one tool: its own settings before the server's. A native program may do anything: execute. */
export function permissionOf(server: McpServer, tool: string): Permission {
  return toolSettings(server, tool).permission ?? server.permission ?? "execute";
}

/** Whether a tool reads, by what the operator says: it looks something up, and neither hands on nor changes anything. */
export function isHarmless(permission: Permission): boolean {
  return permission === "none" || permission === "read";
}

/** What may go to one tool unasked, though a text of others may have had the model write it. */
export function sendUpTo(server: McpServer, tool: string): { readonly upTo?: Sink["send"] } {
  const send = toolSettings(server, tool).send ?? server.send;
  return send === undefined ? {} : { upTo: send };
}

export function timeoutOf(server: McpServer, tool: string): number {
  return toolSettings(server, tool).timeoutMs ?? server.timeoutMs ?? DEFAULT_TIMEOUT_MS;
}

/** What is said of the tool by name before what patterns say, and of these the longest first. */
export function toolSettings(server: McpServer, tool: string): McpToolSettings {
  const rank = (name: string) => (name === tool ? Number.POSITIVE_INFINITY : name.length);
  const fitting = Object.entries(server.tools ?? {}).filter(([name]) => fits(name, tool));
  return Object.assign({}, ...fitting.toSorted(([a], [b]) => rank(a) - rank(b)).map(([, settings]) => settings));
}

/** Whether a name is meant, in which a `*` stands for any signs. */
function fits(pattern: string, tool: string): boolean {
  const [start = "", ...rest] = pattern.split("*");
  const end = rest.pop();
  if (pattern === tool || end === undefined) return pattern === tool;
  let at = start.length;
  for (const part of rest) {
    const found = tool.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return tool.startsWith(start) && tool.endsWith(end) && tool.length >= at + end.length;
}

/** Null for a tool that is taken; else why the settings leave it out. */
export function leftOutBy(server: McpServer, tool: string): string | null {
  if (toolSettings(server, tool).disabled === true) return "disabled in the settings";
  return server.onlyTools?.some((name) => fits(name, tool)) === false ? "not among `onlyTools` in the settings" : null;
}

/** Names and patterns in the settings that none of a server's tools has. */
export function unmetNames({ tools = {}, onlyTools = [] }: McpServer, listed: readonly string[]): readonly string[] {
  const named = new Set([...Object.keys(tools), ...onlyTools]);
  return [...named].filter((name) => name !== "*" && !listed.some((tool) => fits(name, tool)));
}

/** Where texts of a server are from, as labels and cards have it. */
export function originOfServer(title: string): string {
  return `MCP server ${title}`;
}

/** Where the server runs, for people: approval cards and `/tools`. */
export function whereabouts(name: string, server: McpServer): string {
  return "command" in server ? `a native program of server ${name}` : `server ${name} at ${new URL(server.url).host}`;
}
