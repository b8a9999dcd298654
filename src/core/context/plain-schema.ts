import { z } from "zod";

const count = z.int().min(0).optional();

/** Allowed property names. Source: Anthropic's check of tool definitions, the strictest. */
const propertyKey = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/);

const shared = {
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string().min(1)).min(1).optional(),
  additionalProperties: z.union([z.boolean(), z.strictObject({})]).optional(),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minimum: z.number().optional(),
  maximum: z.number().optional(),
};

/** The subset of JSON Schema that all providers support. Source: Gemini API docs, Schema; OpenAI refuses bare arrays. */
const plainPart: z.ZodType = z.lazy(() =>
  z.union([
    plainSchema,
    z.strictObject({ ...shared, type: z.literal("array"), items: plainPart }),
    z.strictObject({ ...shared, type: z.enum(["boolean", "number", "integer", "string"]) }),
  ]),
);

const plainSchema = z
  .strictObject({
    ...shared,
    type: z.literal("object"),
    properties: z.record(propertyKey, plainPart).optional(),
    required: z.array(z.string()).optional(),
  })
  .refine(({ properties = {}, required = [] }) => required.every((name) => Object.hasOwn(properties, name)));

/**
 * Whether every provider accepts the schema in a request. One that is rejected would make every request fail, so tools
 * of others with such schemas are described in text only.
 */
export function isPlainSchema(schema: Readonly<Record<string, unknown>>): boolean {
  return plainSchema.safeParse(schema).success;
}
