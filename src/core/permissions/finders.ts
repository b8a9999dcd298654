export const TOOL_SEARCH = "tool_search";

/** The tool through which a model calls tools that are not in its list. */
export const USE_TOOL = "use_tool";

/** Whether a tool only leads to others. No list of tools excludes it, because those others are checked themselves. */
export function isFinder(name: string): boolean {
  return name === TOOL_SEARCH || name === USE_TOOL;
}
