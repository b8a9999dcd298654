import { z } from "zod";
import { targetToolSchema } from "../../core/context/use-tool.ts";
import { USE_TOOL } from "../../core/permissions/finders.ts";
import { errorResult } from "../../core/protocol/tool-result.ts";
import { defineTool, type Tool } from "../../core/tool.ts";

const input = z.object({ name: targetToolSchema, input: z.unknown().meta({ type: "object" }).optional() });

/** The tool that calls deferred tools. The loop replaces its calls, except those that name no tool. */
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
