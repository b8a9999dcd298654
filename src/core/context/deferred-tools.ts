import { isFinder, TOOL_SEARCH, USE_TOOL } from "../permissions/finders.ts";
import type { Tool } from "../tool.ts";
import { type Label, outsideOf, unionOf } from "../trust/label.ts";
import { isPlainSchema } from "./plain-schema.ts";

/**
 * Up to this many small tools are offered in full, since finding them would cost as much. `bytes` is the size of their
 * specs.
 */
const FEW = { tools: 3, bytes: 3_000 };
/** Maximum numbers of tools and groups in the listing. */
const MAX_LINES = { tools: 40, groups: 20 };
/** Maximum length of a line in the listing, in characters. */
const LINE_CHARS = 90;

type ToolFacts = Pick<Tool, "name" | "description" | "inputSchema" | "deferred">;

/**
 * The tools that a model is offered, sorted by name. Rarely needed tools are deferred: tool_search finds and describes
 * them, and use_tool calls them. Found tools do not change the result, because the tools begin the prefix that
 * providers cache.
 */
export function deferTools<T extends ToolFacts>(tools: readonly T[]): readonly T[] {
  const sorted = tools.toSorted(byName);
  const deferred = sorted.filter(isDeferred);
  const hasFinders = [TOOL_SEARCH, USE_TOOL].every((finder) => sorted.some(({ name }) => name === finder));
  if (!hasFinders || areFew(deferred)) {
    return sorted.filter((tool) => !isFinder(tool.name) && (!isDeferred(tool) || isPlain(tool)));
  }
  const listing = listingOf(deferred);
  return sorted
    .filter((tool) => !isDeferred(tool))
    .map((tool) => (tool.name === TOOL_SEARCH ? { ...tool, description: `${tool.description}\n${listing}` } : tool));
}

/** The label that tool descriptions add to each request. Outsiders write those of MCP servers. */
export function toolDescriptionsLabel(tools: readonly Pick<Tool, "writtenBy">[]): Label {
  return unionOf([
    { who: tools.flatMap(({ writtenBy }) => (writtenBy === undefined ? [] : outsideOf(writtenBy))), holds: [] },
  ]);
}

export function isDeferred({ deferred }: Pick<Tool, "deferred">): boolean {
  return deferred !== undefined;
}

function areFew(deferred: readonly ToolFacts[]): boolean {
  if (deferred.length > FEW.tools || !deferred.every(isPlain)) return false;
  const specs = deferred.map(({ name, description, inputSchema }) => [name, description, inputSchema()]);
  return deferred.length === 0 || JSON.stringify(specs).length <= FEW.bytes;
}

function isPlain({ inputSchema }: ToolFacts): boolean {
  return isPlainSchema(inputSchema());
}

function byName(a: ToolFacts, b: ToolFacts): number {
  return a.name < b.name ? -1 : 1;
}

/** Lists each tool on a line of its own, and each group of tools on one line however many it has. */
function listingOf(deferred: readonly ToolFacts[]): string {
  const groups = new Map<string, string[]>();
  const lines: string[] = [];
  for (const { name, deferred: { about = "", group = null } = {} } of deferred) {
    if (group === null) lines.push(`- ${name}: ${about}`);
    else groups.set(group, [...(groups.get(group) ?? []), name.slice(group.length)]);
  }
  const ofGroups = [...groups].map(([group, names]) => `- ${group}* (${names.length}): ${names.join(", ")}`);
  return [...bounded(lines, MAX_LINES.tools), ...bounded(ofGroups, MAX_LINES.groups)].join("\n");
}

function bounded(lines: readonly string[], most: number): string[] {
  const shown = lines
    .slice(0, most)
    .map((line) => (line.length <= LINE_CHARS ? line : `${line.slice(0, LINE_CHARS - 1).toWellFormed()}…`));
  return lines.length <= most ? shown : [...shown, `- and ${lines.length - most} more`];
}
