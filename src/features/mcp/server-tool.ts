import { z } from "zod";
import type { ToolResultContent } from "../../core/protocol/messages.ts";
import { type CallPreview, schemaOf, type Tool, type ToolContext } from "../../core/tool.ts";
import type { OutgoingData } from "../../core/trust/egress.ts";
import { outsideOf } from "../../core/trust/label.ts";
import { showMedia } from "../../tools/web/show-media.ts";
import type { ListedTool } from "./catalogue/catalogue.ts";
import { inputSchema } from "./catalogue/input-schema.ts";
import { toolPrefix } from "./catalogue/names.ts";
import type { McpConnection } from "./connection.ts";
import { imagesForPeople, resultOfCall } from "./content.ts";
import { type AskInThread, askPeople } from "./elicitation/ask-people.ts";
import { foreignLine } from "./foreign-text.ts";
import { instructionSection } from "./instructions.ts";
import type { Caller } from "./server-requests.ts";
import {
  isHarmless,
  originOfServer,
  permissionOf,
  sendUpTo,
  serverLocation,
  timeoutOf,
  toolSettings,
} from "./server-settings.ts";

/** How often a server may ask people within one call. */
const MAX_FORMS = 10;

/** Maximum length of the argument in the progress line, in characters. */
const TITLE_CHARS = 60;

const inputObject = z.record(z.string(), z.unknown());

/** Wraps a server's tool as the bot's. Its rights come from the settings; the server's hints only narrow them. */
export function serverTool(connection: McpConnection, listed: ListedTool, ask: AskInThread): Tool {
  const { name, title: server, settings } = connection;
  const { tool } = listed;
  const permission = permissionOf(settings, tool);
  const timeoutMs = timeoutOf(settings, tool);
  const input = inputSchema(listed.inputSchema);
  const harmless = isHarmless(permission);
  const origin = originOfServer(server);
  return {
    name: listed.name,
    description: `${listed.description}\n\n(MCP server ${server})`,
    writtenBy: origin,
    deferred: { about: "", group: toolPrefix(name), manual: () => instructionSection(connection) },
    input,
    inputSchema: schemaOf(input),
    permission,
    parallel: listed.readOnlyHint && toolSettings(settings, tool).parallel === true,
    afterCrash: harmless ? "replay" : "never",
    changesUnseen: !harmless,
    grant: () => ({ key: `mcp:${name}:${tool}`, label: `${shown(tool)} of MCP server ${server}, with any input` }),
    title: (input) => titleOf(inputObject.parse(input)),
    brings: () => ({ who: [outsideOf(origin)], holds: ["files"] }),
    sends: (input) => {
      const says = { to: server, says: JSON.stringify(input), ...sendUpTo(settings, tool) };
      return [harmless ? { ...says, ...valuesOf(inputObject.parse(input), { listed, origin }) } : says];
    },
    preview: async (input) => cardOf(connection, tool, input),
    execute: async (input, ctx, signal) => {
      const by = callerOf(ctx, { server, ask });
      let images: readonly ToolResultContent[] = [];
      const result = await connection.use(
        async (session, options) => {
          const answer = await session.callTool({ ...listed, input: inputObject.parse(input), by }, options);
          images = imagesForPeople(answer);
          return resultOfCall(answer);
        },
        { signal, timeoutMs },
      );
      return result.isError ? result : showMedia(result, ctx, images);
    },
  };
}

/** The values of an input, if it consists only of the schema's own properties and no nested values. */
function valuesOf(
  input: Readonly<Record<string, unknown>>,
  { listed, origin }: { readonly listed: ListedTool; readonly origin: string },
): Pick<OutgoingData, "values" | "namedBy"> {
  const names = inputObject.safeParse(listed.inputSchema["properties"]).data ?? {};
  const isPlain = Object.entries(input).every(
    ([name, value]) => Object.hasOwn(names, name) && typeof value !== "object",
  );
  const values = Object.values(input).filter((value) => typeof value !== "boolean");
  return isPlain ? { values: values.map(String), namedBy: origin } : {};
}

/** The caller as the server meets it: the thread's root, and its people. */
function callerOf(ctx: ToolContext, asking: { readonly server: string; readonly ask: AskInThread }): Caller {
  let number = 0;
  return {
    sessionId: ctx.sessionId,
    sandboxRoot: ctx.sandboxRoot,
    queued: (before) => ctx.queued(before),
    progress: (text) => ctx.progress(text),
    elicit: async (request, signal) => {
      number += 1;
      if (number > MAX_FORMS) return { action: "cancel" };
      // Clears the server's progress text, since the call now waits for people.
      ctx.progress("");
      const result = await askPeople(request, { ...asking, ctx, number }, signal);
      ctx.progress("");
      return result;
    },
  };
}

function cardOf({ title: name, settings }: McpConnection, tool: string, input: unknown): CallPreview {
  return {
    question: `Call ${shown(tool)} of MCP server ${name}?`,
    language: "json",
    text: JSON.stringify(input, null, 2),
    reach: `not sandboxed: ${serverLocation(name, settings)}`,
  };
}

function shown(tool: string): string {
  return foreignLine(tool, TITLE_CHARS);
}

/** The first string among the arguments, which usually says what the call is about. */
function titleOf(input: Readonly<Record<string, unknown>>): string {
  return foreignLine(Object.values(input).find((value) => typeof value === "string") ?? "", TITLE_CHARS);
}
