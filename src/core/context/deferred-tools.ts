import type { Tool } from "../tool.ts";

/** The tool that finds deferred ones. */
export const TOOL_SEARCH = "tool_search";

/** Tools of servers come in any number; our own are few. */
const DEFERRABLE = /^mcp__/;

/** Deferrable tools that are offered whole; with more, all of them are deferred. About 8,000 tokens of schemas. */
export const MOST_OFFERED = 30;
/** Names listed to the model. */
const LISTED_NAMES = 500;

type ToolFacts = Pick<Tool, "name" | "description">;

export interface DeferredTools<T> {
  /** By name; the found ones after them, in the order they were found, so that a list only grows at its end. */
  readonly offered: readonly T[];
  /** Offered by name only. */
  readonly deferred: readonly T[];
}

/**
 * What a model is offered of a catalogue. A large one is deferred: its tools are named by the description of tool_search, and
 * offered once they were found. That description names all deferrable tools, found or not: it stays as it is.
 */
export function deferTools<T extends ToolFacts>(
  tools: readonly T[],
  found: readonly string[],
  limit = MOST_OFFERED,
): DeferredTools<T> {
  const deferrable = tools.filter(isDeferrable).sort(byName);
  const own = tools.filter((tool) => !isDeferrable(tool)).sort(byName);
  const search = own.find(({ name }) => name === TOOL_SEARCH);
  if (deferrable.length <= limit || search === undefined) {
    const withoutSearch = [...own, ...deferrable].filter(({ name }) => name !== TOOL_SEARCH);
    return { offered: withoutSearch.sort(byName), deferred: [] };
  }
  const appended = found.flatMap((name) => deferrable.filter((tool) => tool.name === name));
  const listing = `${search.description}\n\n${namesOf(deferrable)}`;
  return {
    offered: [...own.map((tool) => (tool === search ? { ...tool, description: listing } : tool)), ...appended],
    deferred: deferrable.filter((tool) => !appended.includes(tool)),
  };
}

export function isDeferrable({ name }: Pick<Tool, "name">): boolean {
  return DEFERRABLE.test(name);
}

/** What a session's newest tool_search carried: the names of all that it has found, in order. */
export function foundTools(carried: string | null): string[] {
  return carried === null || carried === "" ? [] : carried.split("\n");
}

/** What the next tool_search is to be given. */
export function carriedFound(names: readonly string[]): string {
  return [...new Set(names)].join("\n");
}

function byName(a: ToolFacts, b: ToolFacts): number {
  return a.name < b.name ? -1 : 1;
}

function namesOf(tools: readonly ToolFacts[]): string {
  const names = tools.slice(0, LISTED_NAMES).map(({ name }) => name);
  const more = tools.length - names.length;
  return `Tools that can be found: ${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}.`;
}
