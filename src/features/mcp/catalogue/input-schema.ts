import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { z } from "zod";
import { isObject } from "../../../core/text/from-json.ts";
import { foreignText, hidesCharacters } from "../foreign-text.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Maximum size of a schema as JSON, in characters. The largest known one, for a whole calendar, takes 84,000. */
const MAX_SCHEMA_CHARS = 100_000;
const MAX_DEPTH = 32;

/** Maximum length of a description or title within a schema, in characters. */
const MAX_SCHEMA_TEXT = 2_000;

/** Maximum length of the validator's message that the model gets, in characters. */
const MAX_PROBLEM = 1_000;

/** Maximum number of references followed per input; a few that name each other could keep the validator busy. */
const MAX_FOLLOWED = 20_000;

const DIALECT = "2020-12";

/**
 * A zod schema that validates inputs against the server's JSON Schema. zod copies metadata as it is, so the JSON Schema
 * derived from it is the server's own, unchanged.
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

/** Why the schema cannot be shown to a model; null if it can. */
export function schemaProblem(raw: JsonObject): string | null {
  if (deeperThan(MAX_DEPTH, raw)) return `is nested deeper than ${MAX_DEPTH} levels`;
  const size = JSON.stringify(raw).length;
  if (size > MAX_SCHEMA_CHARS) return `has ${size} characters, more than ${MAX_SCHEMA_CHARS}`;
  return [raw.type ?? "object"].flat().includes("object") ? null : "does not describe an object";
}

/** Whether a value is nested deeper than `levels`. Looks no deeper, so that no value can overflow the stack. */
function deeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => deeperThan(levels - 1, part));
}

/** Cleans and bounds the descriptions in a schema; everything else stays. */
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
 * Returns a function that says what is wrong with an input, or null. The validator interprets the schema, because
 * compiling strangers' schemas to code is unsafe. Inputs that it cannot judge are left to the server.
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
      left = MAX_FOLLOWED;
      return problemOf(() => validate(input));
    };
  } catch {
    return () => null;
  }
}

/** Called for each reference that the validator follows; throws to stop it. */
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
 * Keywords that are checked only if their value is well formed, or never (`() => false`). A regular expression can be
 * written to block this process; a server may accept formats that the validator refuses; and the validator fails if two
 * parts share one `$id`.
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

/** Keywords whose values map names to schemas. A `pattern` among those names is a property, not a keyword. */
const MAPS = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

/** Keywords whose values are not schemas. */
const VALUES = new Set(["enum", "const", "default", "examples"]);

/**
 * The part of a schema that inputs are checked against. If `patternProperties` is dropped, properties that it would
 * allow must not be refused as additional.
 */
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
