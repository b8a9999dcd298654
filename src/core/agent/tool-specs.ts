import { z } from "zod";
import type { ToolSpec } from "../providers/provider.ts";
import type { Tool } from "../tool.ts";

/** Tools as the model sees them, in the order given. */
export function toolSpecs(tools: readonly Tool[]): ToolSpec[] {
  return tools.map((tool) => ({ name: tool.name, description: tool.description, inputSchema: jsonSchemaOf(tool) }));
}

function jsonSchemaOf(tool: Tool): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(tool.input, { io: "input", unrepresentable: "any" });
  return schema;
}
