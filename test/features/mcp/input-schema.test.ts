import { expect, test } from "vitest";
import { z } from "zod";
import { cleanSchema, inputSchema, type JsonObject } from "../../../src/features/mcp/catalogue/input-schema.ts";

const page = {
  type: "object",
  title: "Page",
  examples: [{ id: "a" }],
  properties: {
    id: { type: "string", minLength: 1 },
    pattern: { type: "string", pattern: "^(a+)+$" },
    parent: { $ref: "#/$defs/page" },
    sort: { anyOf: [{ const: "up" }, { type: "null" }], default: null },
    size: { type: ["integer", "null"], exclusiveMinimum: 0 },
  },
  patternProperties: { "^x-(a+)+$": { type: "number" } },
  required: ["id"],
  additionalProperties: false,
  $defs: { page: { type: "object", properties: { parent: { $ref: "#/$defs/page" } }, required: ["parent"] } },
};

test("the derived JSON Schema is the server's, unchanged", () => {
  const { $schema: _dialect, ...derived } = z.toJSONSchema(inputSchema({ $schema: "any", ...page }), { io: "input" });
  expect(derived).toEqual(page);
  expect(JSON.stringify(derived)).toBe(JSON.stringify(page));
});

const inputs: { what: string; input: unknown; problem: RegExp | null; schema?: JsonObject }[] = [
  { what: "valid input", input: { id: "a", size: 3, sort: "up" }, problem: null },
  { what: "a missing property", input: {}, problem: /"id"/ },
  { what: "a wrong type", input: { id: 1 }, problem: /string/ },
  { what: "a wrong choice", input: { id: "a", sort: "down" }, problem: /sort/ },
  { what: "a part behind a reference", input: { id: "a", parent: {} }, problem: /"parent"/ },
  { what: "a value that is not an object", input: "id", problem: /object/ },
  { what: "a name that a pattern may allow", input: { id: "a", "x-a": 1 }, problem: null },
  {
    what: "an unknown name",
    input: { b: 1 },
    problem: /b/,
    schema: { type: "object", additionalProperties: false },
  },
  {
    what: "a format, which is left to the server",
    input: { id: "1429989fe8ac4effbc8f57f56486db54" },
    problem: null,
    schema: { type: "object", properties: { id: { type: "string", format: "uuid" } } },
  },
  {
    what: "a tuple of an older draft",
    input: { at: [1, "2"] },
    problem: /at\/1/,
    schema: { type: "object", properties: { at: { type: "array", items: [{ type: "number" }, { type: "number" }] } } },
  },
  {
    what: "everything except malformed keywords",
    input: { a: 1, b: 1 },
    problem: /"number" is invalid. Expected "string"/,
    schema: {
      properties: {
        a: { type: "float", minimum: 0, exclusiveMinimum: true, required: true, enum: null },
        b: { type: "string" },
      },
      required: null,
    },
  },
  {
    what: "a schema with endless references to itself",
    input: { a: 1 },
    problem: null,
    schema: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { $ref: "#/$defs/a" } } },
  },
];

test.each(inputs)("checks $what", ({ input, problem, schema = page }) => {
  const { success, error } = inputSchema(schema).safeParse(input);
  expect(success).toBe(problem === null);
  if (problem !== null) expect(error?.issues[0]?.message).toMatch(problem);
});

test("a pattern designed to be slow is not evaluated", () => {
  // Matching this pattern would take forever.
  expect(inputSchema(page).safeParse({ id: "a", pattern: `${"a".repeat(60)}!` }).success).toBe(true);
});

test("references that branch exponentially are not all followed", () => {
  // Each leads to the next one twice, so following them all would take forever.
  const twice = (index: number) => ({ allOf: [1, 2].map(() => ({ $ref: `#/$defs/${index}` })) });
  const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index, twice(index + 1)]));
  const schema = { type: "object", $defs: { ...$defs, 40: {} }, ...twice(0) };
  expect(inputSchema(schema).safeParse({ a: 1 }).success).toBe(true);
});

test("descriptions are bounded and cleaned wherever they are; everything else stays", () => {
  const hidden = "Read\u202ethis\u0007";
  const dirty = {
    type: "object",
    description: "d".repeat(5_000),
    properties: { description: { type: "string", title: hidden, enum: [hidden], default: hidden } },
  };
  expect(cleanSchema(dirty)).toEqual({
    type: "object",
    description: `${"d".repeat(1_999)}…`,
    properties: { description: { type: "string", title: "Readthis", enum: [hidden], default: hidden } },
  });
});
