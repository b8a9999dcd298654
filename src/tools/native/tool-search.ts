import { z } from "zod";
import { toolDescriptionsLabel } from "../../core/context/deferred-tools.ts";
import { matchingTools } from "../../core/context/tool-matching.ts";
import { isFinder, TOOL_SEARCH, USE_TOOL } from "../../core/permissions/finders.ts";
import { offeredTools, toolAccessOf } from "../../core/permissions/tool-access.ts";
import { errorResult, textResult } from "../../core/protocol/tool-result.ts";
import { counted } from "../../core/text/counted.ts";
import { defineTool, type Tool, type ToolContext } from "../../core/tool.ts";

const input = z.object({
  query: z.string().trim().min(1).max(300).describe("What you want to do, or names from the list."),
  limit: z.int().min(1).max(10).default(5),
});

/** Maximum characters of all found tools; the first is always described. */
const MAX_CHARS = 24_000;

/** `catalogue` lists all tools that exist at this moment. */
export function createToolSearch(catalogue: () => readonly Tool[]): Tool {
  return defineTool({
    name: TOOL_SEARCH,
    description: `Describes further tools, called with ${USE_TOOL}, and rare arguments of your tools. Available:`,
    input,
    permission: "none",
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: TOOL_SEARCH, label: "finding tools" }),
    title: ({ query }) => query,
    execute({ query, limit }, ctx) {
      const found = matchingTools(allowed(catalogue(), ctx), query).slice(0, limit);
      if (found.length === 0) {
        return Promise.resolve(
          errorResult("No tool matches. Search with other words, or continue without one.", "none found"),
        );
      }
      const summary = counted(found.length, "tool");
      return Promise.resolve({ ...textResult(textOf(found), { summary }), label: toolDescriptionsLabel(found) });
    },
  });
}

/**
 * The tools that role, mode and the operator's list permit, including those already offered, which may have more to
 * describe.
 */
function allowed(tools: readonly Tool[], { config }: ToolContext): Tool[] {
  const others = tools.filter((tool) => !isFinder(tool.name));
  return offeredTools(others, toolAccessOf(config));
}

function textOf(found: readonly Tool[]): string {
  const described: string[] = [];
  const left: string[] = [];
  let chars = 0;
  for (const { name, description, inputSchema } of found) {
    const text = `${name}: ${description}\nInput: ${JSON.stringify(inputSchema())}`;
    if (described.length > 0 && chars + text.length > MAX_CHARS) left.push(name);
    else described.push(text);
    chars += text.length;
  }
  const manuals = new Set(found.flatMap(({ deferred }) => deferred?.manual?.() ?? []));
  const more = left.length === 0 ? [] : [`Search for these by name: ${left.join(", ")}.`];
  return [`Call with ${USE_TOOL} any tool that is not in your list.`, ...described, ...more, ...manuals]
    .filter((text) => text !== "")
    .join("\n\n");
}
