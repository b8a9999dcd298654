import { z } from "zod";

/**
 * The JSON Schemas of servers reach every provider with every request: one that a provider rejects would take the
 * whole bot down. So what is not well formed under draft 2020-12, or breaks the rules that providers share, is left
 * out before any model sees it.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Characters as JSON. Schemas of known servers stay below half of it. */
const MAX_SCHEMA_CHARS = 32_000;
const MAX_DEPTH = 32;

/** Providers take no alternatives in place of an object's properties. */
const NOT_AT_THE_TOP = ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"];

/** Source: Anthropic's check of tool definitions, the strictest. */
const PROPERTY_KEY = /^[A-Za-z0-9_.-]{1,64}$/;

const typeName = z.enum(["null", "boolean", "object", "array", "number", "integer", "string"]);
const count = z.int().min(0);
const schema: z.ZodType = z.lazy(() => z.union([z.boolean(), schemaObject]));
const schemas = z.array(schema).min(1);
const schemaMap = z.record(z.string(), schema);
const pattern = z.string().refine(compiles, "is no regular expression");

const schemaObject = z.looseObject({
  $ref: z.string().startsWith("#", "points outside the schema").optional(),
  $defs: schemaMap.optional(),
  definitions: schemaMap.optional(),
  type: z.union([typeName, z.array(typeName).min(1)]).optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  properties: schemaMap.optional(),
  patternProperties: z.record(pattern, schema).optional(),
  additionalProperties: schema.optional(),
  unevaluatedProperties: schema.optional(),
  propertyNames: schema.optional(),
  dependentSchemas: schemaMap.optional(),
  dependentRequired: z.record(z.string(), z.array(z.string())).optional(),
  required: z.array(z.string()).optional(),
  items: schema.optional(),
  prefixItems: schemas.optional(),
  unevaluatedItems: schema.optional(),
  contains: schema.optional(),
  anyOf: schemas.optional(),
  oneOf: schemas.optional(),
  allOf: schemas.optional(),
  not: schema.optional(),
  if: schema.optional(),
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: schema.optional(),
  else: schema.optional(),
  pattern: pattern.optional(),
  format: z.string().optional(),
  minLength: count.optional(),
  maxLength: count.optional(),
  minItems: count.optional(),
  maxItems: count.optional(),
  minProperties: count.optional(),
  maxProperties: count.optional(),
  uniqueItems: z.boolean().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  multipleOf: z.number().positive().optional(),
});

/** Why no provider should be sent the schema; null when it is fine. */
export function schemaProblem(raw: JsonObject): string | null {
  if (deeperThan(MAX_DEPTH, raw)) return `is nested deeper than ${MAX_DEPTH} levels`;
  const size = JSON.stringify(raw).length;
  if (size > MAX_SCHEMA_CHARS) return `has ${size} characters, more than ${MAX_SCHEMA_CHARS}`;
  if (raw.type !== "object") return "does not describe an object";
  const alternative = NOT_AT_THE_TOP.find((keyword) => raw[keyword] !== undefined);
  if (alternative !== undefined) return `has ${alternative} at the top, which model providers refuse`;
  const parsed = schemaObject.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `is not valid JSON Schema (draft 2020-12) at ${issue?.path.map(String).join(".") || "the top"}`;
  }
  const key = Object.keys(parsed.data.properties ?? {}).find((name) => !PROPERTY_KEY.test(name));
  if (key !== undefined) return "has a property whose name model providers refuse";
  return danglingRef(raw, raw) ? "refers to a part of itself that is not there" : null;
}

function compiles(source: string): boolean {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Looks no further than it must, so that a deep value cannot exhaust the stack. */
function deeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => deeperThan(levels - 1, part));
}

function danglingRef(value: unknown, root: JsonObject): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, part]) =>
    key === "$ref" && typeof part === "string" ? !resolves(part, root) : danglingRef(part, root),
  );
}

/** Whether a reference such as `#/$defs/page` leads somewhere; anchors are not looked for. */
function resolves(ref: string, root: JsonObject): boolean {
  if (ref === "#") return true;
  if (!ref.startsWith("#/")) return false;
  let at: unknown = root;
  for (const part of ref.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return false;
    at = Object.entries(at).find(([name]) => name === key)?.[1];
  }
  return true;
}
