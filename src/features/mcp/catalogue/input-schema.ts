import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { z } from "zod";
import { isObject } from "../../../core/text/from-json.ts";
import { foreignText, hidesCharacters } from "../foreign-text.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Characters as JSON. Those of known servers stay below: what describes a whole calendar takes 84,000. */
const MAX_SCHEMA_CHARS = 100_000;
const MAX_DEPTH = 32;

/** Characters of a description or title within a schema. */
const MAX_SCHEMA_TEXT = 2_000;

/** Characters of the validator's words that the model gets. */
const MAX_PROBLEM = 1_000;

/** References that are followed for one input: a few that name each other could be followed for longer than the bot lives. */
const MOST_FOLLOWED = 20_000;

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
    .meta({ ...shown, type: "object", properties: shown.properties ?? {} });
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
  return isObject(value) ? cleanSchema(value) : value;
}

/**
 * Says what is wrong with an input. The validator interprets the schema instead of compiling it to code, which nobody
 * should do with strangers' schemas. What it cannot judge is left to the server.
 */
function checker(schema: JsonObject): (input: unknown) => string | null {
  let left = Infinity;
  const follow: Follow = () => {
    left -= 1;
    if (left < 0) throw new RangeError("its references are followed for too long");
  };
  try {
    const validate = new CfWorkerJsonSchemaValidator({ draft: DIALECT }).getValidator(judged(schema, follow));
    return (input) => {
      left = MOST_FOLLOWED;
      return problemOf(() => validate(input));
    };
  } catch {
    return () => null;
  }
}

/** Called for each reference that the validator follows; throws to end it. */
type Follow = () => void;

function problemOf(validate: () => { readonly valid: boolean; readonly errorMessage?: string | undefined }) {
  try {
    const { valid, errorMessage = "" } = validate();
    return valid ? null : errorMessage.slice(0, MAX_PROBLEM);
  } catch {
    return null;
  }
}

const isNumber = (value: unknown) => typeof value === "number";
const TYPES: readonly unknown[] = ["null", "boolean", "object", "array", "number", "integer", "string"];

/**
 * Keywords that are judged only when they are well formed; a null, never. A regular expression made to be slow would stop
 * this process. A format says what is meant: a server may take more than the validator. Two parts of one `$id` are none
 * to refer to.
 */
const WHEN_WELL_FORMED: Readonly<Record<string, (value: unknown) => boolean>> = {
  pattern: () => false,
  patternProperties: () => false,
  format: () => false,
  $id: () => false,
  $recursiveRef: () => false,
  id: isObject,
  type: (value) => [value].flat().every((one) => TYPES.includes(one)),
  required: Array.isArray,
  enum: Array.isArray,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
};

/** Keywords whose values map names to schemas: a `pattern` among those names is a property, not a keyword. */
const MAPS = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

/** Keywords whose values are no schemas. */
const VALUES = new Set(["enum", "const", "default", "examples"]);

/** What of the schema inputs are judged by. Without `patternProperties`, what they would cover must not be refused as additional. */
function judged(schema: JsonObject, follow: Follow): JsonObject {
  const inner = (value: unknown) => (isObject(value) ? judged(value, follow) : value);
  const part = (key: string, value: unknown): unknown => {
    if (VALUES.has(key)) return value;
    if (!MAPS.has(key) || !isObject(value)) return Array.isArray(value) ? value.map(inner) : inner(value);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]));
  };
  const loose = schema.patternProperties !== undefined;
  const kept = Object.entries(schema).filter(([key, value]) => {
    if (WHEN_WELL_FORMED[key]?.(value) === false) return false;
    return !(loose && (key === "additionalProperties" || key === "unevaluatedProperties"));
  });
  const fit = Object.fromEntries(kept.map(([key, value]) => [key, part(key, value)]));
  const { $ref } = fit;
  if ($ref === undefined) return fit;
  return Object.defineProperty(fit, "$ref", {
    get: () => {
      follow();
      return $ref;
    },
  });
}
