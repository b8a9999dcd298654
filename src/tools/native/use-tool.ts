import { z } from "zod";
import { targetToolSchema } from "../../core/context/use-tool.ts";
import { USE_TOOL } from "../../core/permissions/finders.ts";
import { errorResult } from "../../core/protocol/tool-result.ts";
import { defineTool, type Tool } from "../../core/tool.ts";

const input = z.object({ name: targetToolSchema, input: z.unknown().meta({ type: "object" }).optional() });

/**
 * Creates the tool through which a model calls a deferred tool. The loop replaces each such call by one of the named
 * tool, so only a call that names no tool reaches this one.
 */
export function createUseTool(): Tool {
  return defineTool({
    name: USE_TOOL,
    description: "Calls a tool that tool_search describes; `input` follows its schema.",
    input,
    permission: "none",
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: USE_TOOL, label: "calling a tool" }),
    title: ({ name }) => name,
    execute: ({ name }) => Promise.resolve(errorResult(`Call ${name} directly.`)),
  });
}
