import type { Permission } from "../../core/agents/query-config.ts";
import { isHarmless } from "./server-settings.ts";

/** Maximum number of tools named for each kind. */
const MAX_NAMED = 40;

interface Kinded {
  readonly tool: string;
  readonly permission: Permission;
}

/** What the operator declares a server's tools to do: `reads search, fetch; sends create_issue`; empty if none. */
export function kindsText(tools: readonly Kinded[]): string {
  const reading = tools.filter(({ permission }) => isHarmless(permission));
  const sending = tools.filter(({ permission }) => !isHarmless(permission));
  return [named("reads", reading), named("sends", sending)].filter((text) => text !== "").join("; ");
}

function named(kind: string, tools: readonly Kinded[]): string {
  if (tools.length === 0) return "";
  const names = tools.slice(0, MAX_NAMED).map(({ tool }) => tool);
  const more = tools.length > MAX_NAMED ? ` and ${tools.length - MAX_NAMED} more` : "";
  return `${kind} ${names.join(", ")}${more}`;
}
