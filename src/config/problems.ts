import { closest, distance } from "fastest-levenshtein";
import type { z } from "zod";
import { alternatives, nodeOf, nodesAt, type SchemaNode } from "./schema-node.ts";

/**
 * Turns validation errors into lines for an operator: the key, what is wrong, and how to fix it. Values are shown only
 * if they are short, plain and not marked secret.
 */

/** How a source writes examples. */
export interface ExampleStyle {
  example(path: readonly PropertyKey[], value: unknown): string;
}

/** How a source writes keys and examples, the only difference between the environment and the file. */
export interface KeyStyle extends ExampleStyle {
  label(path: readonly PropertyKey[]): string;
}

export const environmentStyle: KeyStyle = {
  label: (path) => path.map(String).join("."),
  example: (path, value) => `${path.map(String).join(".")}=${String(value)}`,
};

export function fileStyle(fileName: string): KeyStyle {
  return {
    label: (path) => (path.length === 0 ? fileName : `${fileName}: ${dotted(path)}`),
    example: (path, value) => {
      const key = path.findLast((part) => typeof part === "string");
      return key === undefined ? JSON.stringify(value) : `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    },
  };
}

/** One line per problem. */
export function describeIssues(error: z.ZodError, schema: z.ZodType, style: KeyStyle): string[] {
  return problemsIn(error, schema, style).map(({ path, text }) => `${style.label(path)}: ${text}`);
}

/** What is wrong with a value and how to fix it, as a sentence that does not name the path. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

export function problemsIn(error: z.ZodError, schema: z.ZodType, style: ExampleStyle): Problem[] {
  const root = nodeOf(schema);
  return error.issues.flatMap(innermost).flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      const known = knownKeys(nodesAt(root, issue.path));
      return issue.keys.map((key) => {
        return {
          path: [...issue.path, key],
          text: `is not a known key.${suggestion(key, known, elsewhere(key, root))}`,
        };
      });
    }
    return [describeIssue(issue, root, style)];
  });
}

/** Replaces an error of a union by the errors within the only alternative that fits, since “matches none” says less. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const matching = issue.errors.filter((branch) =>
    branch.every(({ code, path }) => path.length > 0 || code === "unrecognized_keys"),
  );
  const [only, ...others] = matching;
  if (only === undefined || others.length > 0) return [issue];
  return only.flatMap((inner) => innermost({ ...inner, path: [...issue.path, ...inner.path] }));
}

function describeIssue(issue: z.core.$ZodIssue, root: SchemaNode, style: ExampleStyle): Problem {
  const { path } = issue;
  const nodes = nodesAt(root, path);
  const secret = nodes.some((node) => node.secret === true) || isUnderSecret(root, path);
  const example = nodes.find((node) => node.examples !== undefined)?.examples?.[0];
  const shown = secret || issue.code === "invalid_key" ? "" : shownValue(issue.input);
  const fix = example === undefined ? "" : ` Example: ${style.example(path, example)}`;
  return { path, text: `${issue.message}${shown}.${fix}` };
}

/** Options for parsing values whose errors are shown, with our own messages where the schema has none. */
export const PARSE_OPTIONS = { reportInput: true, error: issueMessage } as const;

function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${typeName(issue)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "invalid_key":
      return `is not a valid name: ${issue.issues[0]?.message ?? "it is not accepted"}`;
    case "invalid_union":
      return unionMessage(issue);
    default:
      return undefined;
  }
}

/** The types that a union accepts; undefined if an alternative fails for another reason than its type. */
function unionMessage({ errors }: Pick<z.core.$ZodIssueInvalidUnion, "errors">): string | undefined {
  const words = errors.map(([first]) => (first?.code === "invalid_type" ? typeName(first) : null));
  return words.includes(null) || words.length === 0 ? undefined : `must be ${words.join(", or ")}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function typeName({ expected }: Pick<z.core.$ZodIssueInvalidType, "expected">): string {
  return TYPE_NAMES[expected] ?? expected;
}

/** A value that may be a misplaced credential is not shown. */
const SHOWABLE = /^[\w.:/ -]{1,40}$/;
const CREDENTIAL = /^(xox|xapp|sk-|gh[a-z]_|AKIA)|[A-Za-z0-9_-]{24,}|@/;

function shownValue(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return `, but is ${value}`;
  if (typeof value !== "string" || !SHOWABLE.test(value) || CREDENTIAL.test(value)) return "";
  return `, but is "${value}"`;
}

/** “Did you mean …”; if no known key is similar, what is meant `otherwise`, or else the known keys. */
export function suggestion(key: string, known: readonly string[], otherwise: string | null = null): string {
  return similarName(key, known) ?? otherwise ?? (known.length === 0 ? "" : ` Possible names: ${known.join(", ")}.`);
}

/** “Did you mean …”; null if none is similar. */
export function similarName(key: string, known: readonly string[]): string | null {
  if (known.length === 0) return null;
  const name = closest(key, [...known]);
  const isNear = distance(key.toLowerCase(), name.toLowerCase()) <= Math.max(2, Math.floor(key.length / 3));
  return isNear ? didYouMean(name) : null;
}

/** “Did you mean …” for a key that has its place in a single other group, or in none; null for any other key. */
function elsewhere(key: string, root: SchemaNode): string | null {
  const own = knownKeys([root]);
  const groups = own.filter((group) => knownKeys(nodesAt(root, [group])).includes(key));
  const [only, ...others] = own.includes(key) ? [key] : groups.map((group) => `${group}.${key}`);
  return only === undefined || others.length > 0 ? null : didYouMean(only);
}

export function didYouMean(name: string): string {
  return ` Did you mean "${name}"?`;
}

function knownKeys(nodes: readonly SchemaNode[]): string[] {
  const keys = nodes.flatMap((node) => alternatives(node).flatMap((one) => Object.keys(one.properties ?? {})));
  return [...new Set(keys)].filter((key) => key !== "$schema");
}

function isUnderSecret(root: SchemaNode, path: readonly PropertyKey[]): boolean {
  return path.some((_, index) => nodesAt(root, path.slice(0, index)).some((node) => node.secret === true));
}

export function dotted(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${String(part)}`))
    .join("");
}
