import { z } from "zod";

/** The part of JSON Schema, as z.toJSONSchema generates it, that messages and forms need. */
const nodeSchema = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
  secret: z.boolean().optional(),
});
export type SchemaNode = z.infer<typeof nodeSchema>;

export function nodeOf(schema: z.core.$ZodType): SchemaNode {
  return nodeSchema.parse(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
}

/** The nodes that describe the value at a path; several if a union allows them. */
export function nodesAt(root: SchemaNode, path: readonly PropertyKey[]): readonly SchemaNode[] {
  let nodes: readonly SchemaNode[] = [root];
  for (const part of path) nodes = nodes.flatMap((node) => alternatives(node).flatMap((one) => step(one, part)));
  return nodes;
}

function step(node: SchemaNode, part: PropertyKey): SchemaNode[] {
  const isOwn = node.properties !== undefined && Object.hasOwn(node.properties, part);
  const next =
    typeof part === "number" ? node.items : isOwn ? node.properties?.[String(part)] : node.additionalProperties;
  return parsed(next);
}

/** A node, and the alternatives of its union. */
export function alternatives(node: SchemaNode): SchemaNode[] {
  return [node, ...(node.anyOf ?? []).flatMap(parsed)];
}

/** A node's fields by name, including those of all alternatives of its union. */
export function fieldsOf(node: SchemaNode): ReadonlyMap<string, SchemaNode> {
  const fields = alternatives(node).flatMap(({ properties }) => Object.entries(properties ?? {}));
  return new Map(fields.flatMap(([name, field]) => parsed(field).map((one) => [name, one] as const)));
}

/** Whether a secret value may occur in it, at any depth. */
export function holdsSecret(node: SchemaNode): boolean {
  if (node.secret === true) return true;
  const inner = [...Object.values(node.properties ?? {}), node.additionalProperties, node.items, ...(node.anyOf ?? [])];
  return inner.flatMap(parsed).some(holdsSecret);
}

function parsed(node: unknown): SchemaNode[] {
  const { success, data } = nodeSchema.safeParse(node);
  return success ? [data] : [];
}
