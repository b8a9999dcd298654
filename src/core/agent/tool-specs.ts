import type { ToolSpec } from "../providers/provider.ts";
import type { Tool } from "../tool.ts";

/** Tools as the model sees them, in the order given. */
export function toolSpecs(tools: readonly Tool[]): ToolSpec[] {
  return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema: inputSchema() }));
}
