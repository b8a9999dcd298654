import { MANAGER_ROLE } from "../agents/delegation.ts";
import { type Mode, OFFERED_PERMISSIONS, type Permission, type QueryConfig } from "../agents/query-config.ts";
import type { Tool } from "../tool.ts";
import { isFinder } from "./finders.ts";

/** What restricts the tools of a query: the agent's access role, the mode, and the operator's list. */
export interface ToolAccess {
  readonly agentName: string;
  /** An access role. A string, because definitions come from files; an unknown role allows nothing. */
  readonly role: string;
  /** The agent's own role, if the run delegates its work. Delegating does not let it read more. */
  readonly ownRole?: string | undefined;
  readonly mode: Mode;
  /** Tools that may be used beyond the mode, without asking. */
  readonly granted?: readonly string[];
  /** If set, only these tools. */
  readonly toolAllow?: readonly string[] | undefined;
  /** Never these tools. A server's name (`mcp__github`) stands for all its tools, `*` for every tool. */
  readonly disallowed?: readonly string[] | undefined;
}

/** The restrictions that follow from a query's settings. */
export function toolAccessOf({ agentDefinition, mode, toolAllow, grantedTools, delegation }: QueryConfig): ToolAccess {
  const { name: agentName, access: role, disallowedTools } = agentDefinition;
  return {
    agentName,
    role,
    mode,
    granted: grantedTools ?? [],
    ownRole: delegation?.access,
    toolAllow,
    disallowed: disallowedTools,
  };
}

type ToolFacts = Pick<Tool, "name" | "permission" | "onlyFor">;

/** The tools a model may know of: role ∩ mode ∩ the operator's list, in the order given. */
export function offeredTools<T extends ToolFacts>(tools: readonly T[], access: ToolAccess): T[] {
  const isMeant = ({ onlyFor = access.role }: T) => onlyFor === access.role;
  return tools.filter((tool) => isMeant(tool) && refusal(tool, access) === null);
}

/** Why a tool may not be called, in words for the model; null if it may. */
export function refusal(tool: ToolFacts, access: ToolAccess): string | null {
  if (!roleAllows(access, tool)) {
    if (access.role === MANAGER_ROLE) {
      return `Not run: you manage this task, and managers only look and plan. Use agent to hand what needs ${tool.name} to an executor.`;
    }
    return `The tool ${tool.name} is not available: agent ${access.agentName} has the access role ${access.role}.`;
  }
  if (
    access.disallowed?.some((name) => name === "*" || name === tool.name || tool.name.startsWith(`${name}__`)) === true
  ) {
    return `The tool ${tool.name} is not available: agent ${access.agentName} may not use it.`;
  }
  const isOffered = OFFERED_PERMISSIONS[access.mode].includes(tool.permission);
  if (!isOffered && !access.granted?.includes(tool.name)) {
    return `The tool ${tool.name} is not available in ${access.mode} mode, which only looks and changes nothing.`;
  }
  if (access.toolAllow !== undefined && !isIndirect(tool, access) && !access.toolAllow.includes(tool.name)) {
    return `The tool ${tool.name} is not enabled here.`;
  }
  return null;
}

/**
 * Whether a tool only leads to others, or to executors. The operator's list never excludes it, because those tools are
 * checked themselves.
 */
function isIndirect(tool: ToolFacts, { role }: ToolAccess): boolean {
  return isFinder(tool.name) || (role === MANAGER_ROLE && delegates(tool));
}

const DELEGATION_TOOLS: readonly string[] = ["agent", "agent_output"];

function delegates({ name, onlyFor }: ToolFacts): boolean {
  return onlyFor === MANAGER_ROLE || DELEGATION_TOOLS.includes(name);
}

const HARMLESS: readonly Permission[] = ["none", "read"];
/** Allowed in addition: looking something up on the web, and asking the person. */
const READ_ONLY_TOOLS: readonly string[] = ["web_fetch", "ask_user_question"];
const SEARCH_TOOLS: readonly string[] = ["read", "glob", "grep", "web_fetch"];

function roleAllows({ role, ownRole = "full" }: Pick<ToolAccess, "role" | "ownRole">, tool: ToolFacts): boolean {
  switch (role) {
    case "full":
      return true;
    case MANAGER_ROLE:
      return delegates(tool) || (isReadOnly(tool) && roleAllows({ role: ownRole }, tool));
    case "read-only":
      return isReadOnly(tool);
    case "search-only":
      return SEARCH_TOOLS.includes(tool.name);
    default:
      return false;
  }
}

function isReadOnly({ name, permission }: ToolFacts): boolean {
  return HARMLESS.includes(permission) || READ_ONLY_TOOLS.includes(name);
}
