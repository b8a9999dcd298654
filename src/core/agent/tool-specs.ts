import type { ToolSpec } from "../providers/provider.ts";
import { isObject } from "../text/from-json.ts";
import type { Offer, Tool } from "../tool.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The tools as the model sees them, in the given order. */
export function toolSpecs(tools: readonly Tool[]): ToolSpec[] {
  return tools.map(({ name, description, inputSchema, offer }) => {
    if (offer === undefined) return { name, description, inputSchema: inputSchema() };
    return { name, description: offer.about, inputSchema: offered(inputSchema(), offer) };
  });
}

/** Reduces a schema to the arguments of the offer, with the offer's descriptions. */
function offered({ properties, ...schema }: Schema, offer: Offer): Schema {
  const all = isObject(properties) ? properties : {};
  const described = Object.entries(offer.arguments).map(([name, about]) => {
    const { description: _long, ...kept } = withoutBounds(all[name]);
    return [name, about === "" ? kept : { description: about, ...kept }];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}

/**
 * Schema keywords left out of requests to save tokens. A call that violates one of these bounds learns of it from its
 * error.
 */
const BOUNDS = new Set([
  "exclusiveMinimum",
  "maxItems",
  "maxLength",
  "maximum",
  "minItems",
  "minLength",
  "minimum",
  "pattern",
]);

function withoutBounds(schema: unknown): Schema {
  if (!isObject(schema)) return {};
  const kept = Object.entries(schema).filter(([key, value]) => !BOUNDS.has(key) && !isPlainDefault(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, part(value)]));
}

function isPlainDefault(key: string, value: unknown): boolean {
  return key === "default" && ['""', "0", "1", "false", "[]"].includes(JSON.stringify(value));
}

function part(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(part);
  return isObject(value) ? withoutBounds(value) : value;
}
