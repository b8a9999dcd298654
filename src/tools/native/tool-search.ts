import { z } from "zod";
import { carriedFound, foundTools, isDeferrable, TOOL_SEARCH } from "../../core/context/deferred-tools.ts";
import { offeredTools } from "../../core/permissions/policy.ts";
import { errorResult, textResult } from "../../core/protocol/tool-result.ts";
import { defineTool, type Tool, type ToolContext } from "../../core/tool.ts";

const input = z.object({
  query: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .describe("What you want to do, in a few words, or the names of tools separated by spaces."),
  limit: z.int().min(1).max(10).default(5).describe("How many tools to find at most."),
});

/** Characters of a found tool's description in the result; the whole one comes with the tool. */
const SHOWN_CHARS = 200;

/** `catalogue`: all tools there are at this moment. */
export function createToolSearch(catalogue: () => readonly Tool[]): Tool {
  return defineTool({
    name: TOOL_SEARCH,
    description:
      "Finds tools that are not in your list yet: from the next turn on you can call what was found. Search by what you want to do, or " +
      "by the names below.",
    input,
    permission: "none",
    // One after the other: each search carries on what was found before.
    parallel: false,
    afterCrash: "replay",
    carries: true,
    grant: () => ({ key: TOOL_SEARCH, label: "finding tools" }),
    title: ({ query }) => query,
    execute({ query, limit }, ctx) {
      const found = matching(searchable(catalogue(), ctx), query).slice(0, limit);
      if (found.length === 0) {
        return Promise.resolve(
          errorResult("No tool fits. Search with other words, or go on without one.", "none found"),
        );
      }
      const lines = found.map(({ name, description }) => `- ${name}: ${firstWords(description)}`);
      const text = `Found; you can call them from the next turn on:\n${lines.join("\n")}`;
      const carry = carriedFound([...foundTools(ctx.carried), ...found.map(({ name }) => name)]);
      return Promise.resolve(
        textResult(text, { summary: found.length === 1 ? "1 tool" : `${found.length} tools`, carry }),
      );
    },
  });
}

/** What role, mode and the operator's list leave of the deferrable ones. */
function searchable(tools: readonly Tool[], { config }: ToolContext): Tool[] {
  const { name: agentName, access: role } = config.agentDefinition;
  const toolAllow = config.toolAllow === undefined ? {} : { toolAllow: config.toolAllow };
  const granted = config.grantedTools ?? [];
  return offeredTools(tools.filter(isDeferrable), { agentName, role, mode: config.mode, granted, ...toolAllow });
}

/** Best first: a word in the name counts more than one in the description. */
function matching(tools: readonly Tool[], query: string): Tool[] {
  const words = wordsOf(query);
  const names = new Set(query.split(/[\s,]+/));
  return (
    tools
      .map((tool) => ({ tool, score: names.has(tool.name) ? Infinity : scoreOf(tool, words) }))
      .filter(({ score }) => score > 0)
      // Equal scores, infinite ones included, differ by nothing that is a number.
      .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
      .map(({ tool }) => tool)
  );
}

function scoreOf({ name, description }: Tool, words: readonly string[]): number {
  const inName = wordsOf(name);
  const inDescription = wordsOf(description);
  const hits = (within: readonly string[], word: string) =>
    within.some((each) => each === word || each.startsWith(word));
  return words.reduce((sum, word) => sum + (hits(inName, word) ? 3 : 0) + (hits(inDescription, word) ? 1 : 0), 0);
}

/** Lower case, without the plural's s, so that `issues` finds `create_issue`. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return words.map((word) => (word.length > 3 ? word.replace(/s$/, "") : word)).filter((word) => word !== "mcp");
}

function firstWords(description: string): string {
  const line = description.replaceAll(/\s+/g, " ").trim();
  return line.length <= SHOWN_CHARS ? line : `${line.slice(0, SHOWN_CHARS).toWellFormed()}…`;
}
