import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { z } from "zod";
import { foreignText, hidesCharacters } from "../foreign-text.ts";
import type { JsonObject } from "./json-schema.ts";

/** Characters of a description or title within a schema. */
const MAX_SCHEMA_TEXT = 2_000;

/** Characters of the validator's words that the model gets. */
const MAX_PROBLEM = 1_000;

const DIALECT = "2020-12";

/**
 * A schema that checks inputs by the server's JSON Schema and is that JSON Schema, unchanged, where one is derived
 * from it: zod puts metadata into the JSON Schema as it is.
 */
export function inputSchema(schema: JsonObject): z.ZodType {
  const problemOf = checker(schema);
  const { $schema: _dialect, id: _id, ...shown } = schema;
  return z
    .unknown()
    .superRefine((input, ctx) => {
      const problem = problemOf(input);
      if (problem !== null) ctx.addIssue({ code: "custom", message: problem });
    })
    .meta({ ...shown, properties: shown.properties ?? {} });
}

/** The schema with its descriptions cleaned and bounded; all else stays. */
export function cleanSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, cleanPart(key, value)]));
}

function cleanPart(key: string, value: unknown): unknown {
  if (typeof value === "string") {
    const text = key === "description" || key === "title" || key === "$comment";
    const clean = value.length <= MAX_SCHEMA_TEXT && !hidesCharacters(value);
    return text && !clean ? foreignText(value, MAX_SCHEMA_TEXT) : value;
  }
  if (Array.isArray(value)) return value.map((part) => cleanPart("", part));
  return typeof value === "object" && value !== null ? cleanSchema({ ...value }) : value;
}

/**
 * Says what is wrong with an input. The validator interprets the schema instead of compiling it to code, which nobody
 * should do with strangers' schemas. Regular expressions are left to the server: one made to be slow would
 * stop this process.
 */
function checker(schema: JsonObject): (input: unknown) => string | null {
  const validator = new CfWorkerJsonSchemaValidator({ draft: DIALECT });
  const validate = validator.getValidator(withoutPatterns(schema));
  return (input) => {
    try {
      const { valid, errorMessage } = validate(input);
      return valid ? null : errorMessage.slice(0, MAX_PROBLEM);
    } catch (error) {
      // A schema that refers to itself without end: the server decides.
      if (error instanceof RangeError) return null;
      throw error;
    }
  };
}

/** Keywords whose values map names to schemas: a `pattern` among those names is a property, not a keyword. */
const MAPS = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

/** Without `patternProperties`, what they would cover must not be refused as additional. */
function withoutPatterns(schema: JsonObject): JsonObject {
  const loose = schema.patternProperties !== undefined;
  const kept = Object.entries(schema).filter(([key]) => {
    if (key === "pattern" || key === "patternProperties") return false;
    return !(loose && (key === "additionalProperties" || key === "unevaluatedProperties"));
  });
  return Object.fromEntries(
    kept.map(([key, value]) => [key, MAPS.has(key) && isObject(value) ? eachOf(value) : part(key, value)]),
  );
}

function part(key: string, value: unknown): unknown {
  if (key === "enum" || key === "const" || key === "default" || key === "examples") return value;
  if (Array.isArray(value)) return value.map((item: unknown) => (isObject(item) ? withoutPatterns(item) : item));
  return isObject(value) ? withoutPatterns(value) : value;
}

function eachOf(map: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, isObject(value) ? withoutPatterns(value) : value]),
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
