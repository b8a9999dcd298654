import type { Tool } from "../tool.ts";

type ToolFacts = Pick<Tool, "name" | "description">;

/** The tools that match some words, best first. A word in the name counts more than one in the description. */
export function matchingTools<T extends ToolFacts>(tools: readonly T[], query: string): T[] {
  const words = wordsOf(query);
  const names = new Set(query.split(/[\s,]+/));
  return (
    tools
      .map((tool) => ({ tool, score: names.has(tool.name) ? Infinity : scoreOf(tool, words) }))
      .filter(({ score }) => score > 0)
      // The difference of infinite scores is NaN, which falls through to the names as well.
      .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
      .map(({ tool }) => tool)
  );
}

function scoreOf({ name, description }: ToolFacts, words: readonly string[]): number {
  const inName = wordsOf(name);
  const inDescription = wordsOf(description);
  const hits = (within: readonly string[], word: string) =>
    within.some((each) => each === word || each.startsWith(word));
  return words.reduce((sum, word) => sum + (hits(inName, word) ? 3 : 0) + (hits(inDescription, word) ? 1 : 0), 0);
}

/** Lower-case words without a plural s, so that `issues` finds `create_issue`. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return words.map((word) => (word.length > 3 ? word.replace(/s$/, "") : word)).filter((word) => word !== "mcp");
}
