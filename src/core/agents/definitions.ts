import type { AccessRole, AgentColor, AgentDefinition } from "./query-config.ts";

/** What one source says about agents, by name. Absent fields keep the values of earlier sources. */
export type AgentLayer = ReadonlyMap<string, Partial<AgentDefinition>>;

/** Access roles, most powerful first. */
const ACCESS_ROLES: readonly AccessRole[] = ["full", "read-only", "search-only"];

/** Why an access role is invalid; null if it is valid. */
export function accessProblem(access: string): string | null {
  if (ACCESS_ROLES.some((role) => role === access)) return null;
  return `"${access}" is not an access role, so the agent gets no tools. Use ${ACCESS_ROLES.join(", ")}.`;
}

/** Whether a role may do more than another. */
export function mayDoMore(access: string, than: string): boolean {
  return rankOf(access) > rankOf(than);
}

function rankOf(access: string): number {
  const index = ACCESS_ROLES.findIndex((role) => role === access);
  return index === -1 ? 0 : ACCESS_ROLES.length - index;
}

const SIGNS: Readonly<Record<AgentColor, string>> = {
  red: "🔴",
  orange: "🟠",
  yellow: "🟡",
  green: "🟢",
  cyan: "🔷",
  blue: "🔵",
  purple: "🟣",
  brown: "🟤",
  black: "⚫",
  white: "⚪",
};

/** An agent's name in lists, with the sign of its colour: `🔵 **plan**`. */
export function signedName({ name, color }: Pick<AgentDefinition, "name" | "color">): string {
  return `${color === undefined ? "" : `${SIGNS[color]} `}**${name}**`;
}

/** Merges layers into agents, in the order of first mention. Later layers win, field by field. */
export function layerAgents(layers: readonly AgentLayer[]): Map<string, AgentDefinition> {
  const agents = new Map<string, AgentDefinition>();
  for (const [name, fields] of layers.flatMap((layer) => [...layer])) {
    const known = agents.get(name) ?? { description: name, prompt: "", access: "full", visible: true };
    agents.set(name, { ...known, ...fields, name });
  }
  return agents;
}
