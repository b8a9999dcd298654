import { z } from "zod";

/**
 * The JSON Schemas of servers. Models read them as text; only of a few small tools do they reach providers as they are,
 * and one that a provider rejects would take the whole bot down: that is for plain ones alone.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Characters as JSON. Schemas of known servers stay below half of it. */
const MAX_SCHEMA_CHARS = 32_000;
const MAX_DEPTH = 32;

const count = z.int().min(0).optional();
const texts = z.array(z.string()).optional();

/** Characters of property names. Source: Anthropic's check of tool definitions, the strictest. */
const propertyKey = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/);

const shared = {
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string()).min(1).optional(),
  required: texts,
  additionalProperties: z.boolean().optional(),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minimum: z.number().optional(),
  maximum: z.number().optional(),
};

/** Source: Gemini API docs, Schema: the least that providers share. */
const plainPart: z.ZodType = z.lazy(() =>
  z.strictObject({
    ...shared,
    type: z.enum(["boolean", "object", "array", "number", "integer", "string"]),
    properties: z.record(propertyKey, plainPart).optional(),
    items: plainPart.optional(),
  }),
);

const plainSchema = z.strictObject({
  ...shared,
  $schema: z.string().optional(),
  $id: z.string().optional(),
  type: z.literal("object"),
  properties: z.record(propertyKey, plainPart).optional(),
});

/** Whether every provider takes the schema with a request. */
export function isPlain(schema: JsonObject): boolean {
  return plainSchema.safeParse(schema).success;
}

/** Why no model can be told the schema; null when it is fine. */
export function schemaProblem(raw: JsonObject): string | null {
  if (deeperThan(MAX_DEPTH, raw)) return `is nested deeper than ${MAX_DEPTH} levels`;
  const size = JSON.stringify(raw).length;
  if (size > MAX_SCHEMA_CHARS) return `has ${size} characters, more than ${MAX_SCHEMA_CHARS}`;
  return [raw.type ?? "object"].flat().includes("object") ? null : "does not describe an object";
}

/** Looks no further than it must, so that a deep value cannot exhaust the stack. */
function deeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => deeperThan(levels - 1, part));
}
