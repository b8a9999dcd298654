import { z } from "zod";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { errorResult, type ToolResult, textResult } from "../../core/protocol/tool-result.ts";
import { counted } from "../../core/text/counted.ts";
import { type CallRule, defineTool, type Tool } from "../../core/tool.ts";
import { outsideOf } from "../../core/trust/label.ts";
import type { McpConnection } from "./connection.ts";
import { resultOfPrompt, resultOfRead } from "./content.ts";
import { foreignLine } from "./foreign-text.ts";
import type { McpSession } from "./mcp-session.ts";
import { DEFAULT_TIMEOUT_MS, isHarmless, originOfServer, serverLocation } from "./server-settings.ts";

/** Maximum number of entries of each kind in one listing. */
const MAX_LISTED = 200;

/** Maximum lengths of an entry's name or URI and of its description, in characters. */
const MAX_NAME = 300;
const MAX_ABOUT = 200;

const input = z.object({
  action: z
    .enum(["list", "read", "prompt"])
    .describe("list: the resources and prompts of a server; read: one resource; prompt: one prompt, filled in."),
  server: z.string().describe("The server's name."),
  uri: z.string().optional().describe("read: the resource's URI."),
  name: z.string().optional().describe("prompt: its name."),
  arguments: z.record(z.string(), z.string()).optional().describe("prompt: its arguments."),
});
type Input = z.infer<typeof input>;

/**
 * The tool for what servers offer beside tools. Listing is harmless; reading and prompts need the same rights as the
 * server's tools.
 */
export function resourcesTool(connections: readonly McpConnection[]): Tool {
  const named = (called: string) => connections.find(({ name, title }) => name === called || title === called);
  const names = connections.map(({ title }) => title).join(", ");
  return defineTool<Input>({
    name: "mcp_resources",
    description: `Lists and reads the resources of MCP servers, and fills in their prompts. Servers: ${names}.`,
    deferred: { about: "resources and prompts of MCP servers" },
    input,
    permission: "read",
    parallel: false,
    afterCrash: "never",
    grant: ({ server }) => ({ key: `mcp_resources:${server}`, label: `resources and prompts of MCP server ${server}` }),
    title: ({ action, server, uri, name }) => foreignLine([action, server, uri ?? name ?? ""].join(" "), 60),
    rule: ({ action, server }, { mode }) => {
      const connection = named(server);
      return connection === undefined || action === "list" ? null : ruleOf(connection, mode === "read");
    },
    brings: ({ server }) => ({ who: [outsideOf(originOfServer(named(server)?.title ?? server))], holds: ["files"] }),
    sends: ({ server, ...call }) => {
      const connection = named(server);
      if (connection === undefined || call.action === "list") return [];
      const { uri, action } = call;
      const { send } = connection.settings;
      const isPlain = action === "read" && uri !== undefined && Object.keys(call).length === 2;
      return [
        {
          to: connection.title,
          says: JSON.stringify(call),
          ...(send === undefined ? {} : { upTo: send }),
          ...(isPlain ? { values: [uri], namedBy: originOfServer(connection.title) } : {}),
        },
      ];
    },
    preview: async (call) => {
      const connection = named(call.server);
      return {
        question: `${call.action === "prompt" ? "Use a prompt" : "Read a resource"} of MCP server ${call.server}?`,
        language: "json",
        text: JSON.stringify(call, null, 2),
        reach: `not sandboxed: ${connection === undefined ? "no such server" : serverLocation(call.server, connection.settings)}`,
      };
    },
    execute: async (call, ctx, signal) => {
      const connection = named(call.server);
      if (connection === undefined) return errorResult(`There is no MCP server ${call.server}. Available: ${names}.`);
      if (call.action !== "list" && ctx.readOnly && !harmless(connection)) {
        return errorResult(`The MCP server ${connection.name} may do more than read; this agent may not use it.`);
      }
      return run(call, connection, signal);
    },
  });
}

function harmless({ settings: { permission = "execute" } }: McpConnection): boolean {
  return isHarmless(permission);
}

function ruleOf(connection: McpConnection, readMode: boolean): CallRule | null {
  if (harmless(connection)) return null;
  const { name, settings } = connection;
  if (readMode)
    return { type: "refuse", reason: `The MCP server ${name} may do more than read, which read mode does not allow.` };
  return { type: "ask", why: `It runs code of ${serverLocation(name, settings)}, not sandboxed.`, always: false };
}

async function run(call: Input, connection: McpConnection, signal: AbortSignal): Promise<ToolResult> {
  const options = { signal, timeoutMs: connection.settings.timeoutMs ?? DEFAULT_TIMEOUT_MS };
  const { action, uri, name } = call;
  switch (action) {
    case "list":
      return connection.use((session) => list(session, signal), options);
    case "read":
      if (uri === undefined) return errorResult("Give the resource's `uri`.");
      return connection.use(async (session, ask) => resultOfRead(await session.readResource(uri, ask)), options);
    case "prompt":
      if (name === undefined) return errorResult("Give the prompt's `name`.");
      return connection.use(
        async (session, ask) => resultOfPrompt(await session.getPrompt(name, call.arguments ?? {}, ask)),
        options,
      );
    default:
      return assertNever(action);
  }
}

async function list(session: McpSession, signal: AbortSignal): Promise<ToolResult> {
  const resources = await session.list("resources", MAX_LISTED, signal);
  const templates = await session.list("templates", MAX_LISTED, signal);
  const prompts = await session.list("prompts", MAX_LISTED, signal);
  const about = ({ name = "", description = "" }: { name?: string | undefined; description?: string | undefined }) => {
    const words = [name, description].map((text) => foreignLine(text, MAX_ABOUT));
    return words
      .filter((text) => text !== "")
      .map((text) => ` · ${text}`)
      .join("");
  };
  const lines = [
    ...section(
      "Resources",
      resources.map((entry) => `${foreignLine(entry.uri, MAX_NAME)}${about(entry)}`),
    ),
    ...section(
      "Resource templates",
      templates.map((entry) => `${foreignLine(entry.uriTemplate, MAX_NAME)}${about(entry)}`),
    ),
    ...section(
      "Prompts",
      prompts.map(({ name, description, arguments: args = [] }) => {
        const names = args.slice(0, 20).map((arg) => `${foreignLine(arg.name, 60)}${arg.required === true ? "" : "?"}`);
        return `${foreignLine(name, MAX_NAME)}(${names.join(", ")})${about({ description })}`;
      }),
    ),
  ];
  const count = resources.length + templates.length + prompts.length;
  return textResult(lines.length === 0 ? "The server offers no resources and no prompts." : lines.join("\n"), {
    summary: counted(count, "entry", "entries"),
  });
}

function section(title: string, entries: readonly string[]): string[] {
  if (entries.length === 0) return [];
  const more = entries.length === MAX_LISTED ? [`(the first ${MAX_LISTED})`] : [];
  return [`${title}:`, ...entries.map((entry) => `- ${entry}`), ...more];
}
