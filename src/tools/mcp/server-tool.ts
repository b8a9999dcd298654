import { z } from "zod";
import type { ToolResultContent } from "../../core/protocol/messages.ts";
import { type CallPreview, schemaOf, type Tool } from "../../core/tool.ts";
import { showMedia } from "../show-media.ts";
import type { ListedTool } from "./catalogue.ts";
import type { McpConnection } from "./connection.ts";
import { imagesForPeople, resultOfCall } from "./content.ts";
import { foreignLine } from "./foreign-text.ts";
import { inputSchema } from "./input-schema.ts";
import { permissionOf, timeoutOf, toolSettings, whereabouts } from "./server-settings.ts";

/** Characters of the progress line's argument. */
const TITLE_CHARS = 60;

const inputObject = z.record(z.string(), z.unknown());

/** A server's tool as one of ours. Its rights come from the settings; what the server says of itself only narrows them. */
export function serverTool(connection: McpConnection, listed: ListedTool): Tool {
  const { name: server, settings } = connection;
  const { tool } = listed;
  const permission = permissionOf(settings, tool);
  const timeoutMs = timeoutOf(settings, tool);
  const input = inputSchema(listed.inputSchema);
  const harmless = permission === "none" || permission === "read";
  return {
    name: listed.name,
    description: `${listed.description}\n\n(MCP server ${server})`,
    input,
    inputSchema: schemaOf(input),
    permission,
    parallel: listed.readOnlyHint && toolSettings(settings, tool).parallel === true,
    afterCrash: harmless ? "replay" : "never",
    grant: () => ({ key: `mcp:${server}:${tool}`, label: `${shown(tool)} of MCP server ${server}, with any input` }),
    title: (input) => titleOf(inputObject.parse(input)),
    preview: async (input) => cardOf(connection, tool, input),
    execute: async (input, ctx, signal) => {
      let images: readonly ToolResultContent[] = [];
      const result = await connection.use(
        async (session, options) => {
          const answer = await session.callTool(tool, inputObject.parse(input), options);
          images = imagesForPeople(answer);
          return resultOfCall(answer);
        },
        { signal, timeoutMs },
      );
      return result.isError ? result : showMedia(result, ctx, images);
    },
  };
}

function cardOf({ name, settings }: McpConnection, tool: string, input: unknown): CallPreview {
  return {
    question: `Call ${shown(tool)} of MCP server ${name}?`,
    language: "json",
    text: JSON.stringify(input, null, 2),
    reach: `not sandboxed: ${whereabouts(name, settings)}`,
  };
}

function shown(tool: string): string {
  return foreignLine(tool, TITLE_CHARS);
}

/** The first text among the arguments: mostly what the call is about. */
function titleOf(input: Readonly<Record<string, unknown>>): string {
  return foreignLine(Object.values(input).find((value) => typeof value === "string") ?? "", TITLE_CHARS);
}
