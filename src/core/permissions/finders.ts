/** The tool that tells of deferred ones. */
export const TOOL_SEARCH = "tool_search";

/** The tool through which a model calls those that are not in its list. */
export const USE_TOOL = "use_tool";

/** True for the tools that lead to others: no list of tools leaves them out, since the others are judged by it. */
export function isFinder(name: string): boolean {
  return name === TOOL_SEARCH || name === USE_TOOL;
}
