import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";

/**
 * Turns what a schema found into lines for an operator: the key, what is wrong, how to mend it. Values
 * are shown only when they are short, plain and not marked secret.
 */

/** The part of JSON Schema that z.toJSONSchema makes of our schemas and that explanations need. */
const nodeSchema = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
  secret: z.boolean().optional(),
});
type Node = z.infer<typeof nodeSchema>;

/** How a source writes a key and its example; environment and file differ only in this. */
export interface KeyStyle {
  label(path: readonly PropertyKey[]): string;
  example(path: readonly PropertyKey[], value: unknown): string;
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

/** One line per problem; a problem inside a union is the union's own. */
export function describeIssues(error: z.ZodError, schema: z.ZodType, style: KeyStyle): string[] {
  const root = nodeSchema.parse(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      const known = knownKeys(nodesAt(root, issue.path));
      return issue.keys.map((key) => `${style.label([...issue.path, key])}: is not known.${suggestion(key, known)}`);
    }
    return [describeIssue(issue, root, style)];
  });
}

function describeIssue(issue: z.core.$ZodIssue, root: Node, style: KeyStyle): string {
  const nodes = nodesAt(root, issue.path);
  const union = issue.code === "invalid_union" ? unknownInUnion(issue, style, nodes) : null;
  if (union !== null) return union;
  const secret = nodes.some((node) => node.secret === true) || underSecret(root, issue.path);
  const example = nodes.find((node) => node.examples !== undefined)?.examples?.[0];
  const shown = secret || issue.code === "invalid_key" ? "" : shownValue(issue.input);
  const mend = example === undefined ? "" : ` Example: ${style.example(issue.path, example)}`;
  return `${style.label(issue.path)}: ${whatIsWrong(issue)}${shown}.${mend}`;
}

/** A misspelt key in one of a union's objects is a better line than “matches none of them”. */
function unknownInUnion(issue: z.core.$ZodIssueInvalidUnion, style: KeyStyle, nodes: readonly Node[]): string | null {
  const only = issue.errors.flatMap((branch) => (branch.length === 1 ? branch : []));
  const found = only.find((inner) => inner.code === "unrecognized_keys");
  const key = found?.code === "unrecognized_keys" ? found.keys[0] : undefined;
  if (key === undefined) return null;
  return `${style.label([...issue.path, key])}: is not known.${suggestion(key, knownKeys(nodes))}`;
}

function whatIsWrong(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined && !issue.message.startsWith("must") ? "is missing" : typeWords(issue);
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return issue.message.startsWith("must") ? issue.message : `must be at least ${issue.minimum}`;
    case "too_big":
      return issue.message.startsWith("must") ? issue.message : `must be at most ${issue.maximum}`;
    case "invalid_key":
      return `is not a valid name: ${issue.issues[0]?.message ?? issue.message}`;
    default:
      return issue.message;
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function typeWords(issue: z.core.$ZodIssueInvalidType): string {
  if (issue.message.startsWith("must")) return issue.message;
  return `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
}

/** Anything that could be a credential in the wrong place stays hidden. */
const SHOWABLE = /^[\w.:/ -]{1,40}$/;
const CREDENTIAL = /^(xox|xapp|sk-|gh[a-z]_|AKIA)|[A-Za-z0-9_-]{24,}|@/;

function shownValue(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return `, is ${value}`;
  if (typeof value !== "string" || !SHOWABLE.test(value) || CREDENTIAL.test(value)) return "";
  return `, is "${value}"`;
}

/** “Did you mean …”, or the known keys when nothing is near. */
export function suggestion(key: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const nearest = closest(key, [...known]);
  const near = distance(key.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, Math.floor(key.length / 3));
  return near ? ` Did you mean "${nearest}"?` : ` Known here: ${known.join(", ")}.`;
}

function knownKeys(nodes: readonly Node[]): string[] {
  const keys = nodes.flatMap((node) => alternatives(node).flatMap((one) => Object.keys(one.properties ?? {})));
  return [...new Set(keys)].filter((key) => key !== "$schema");
}

function underSecret(root: Node, path: readonly PropertyKey[]): boolean {
  return path.some((_, index) => nodesAt(root, path.slice(0, index)).some((node) => node.secret === true));
}

/** The schema nodes that describe the value at a path; several where a union leaves it open. */
function nodesAt(root: Node, path: readonly PropertyKey[]): readonly Node[] {
  let nodes: readonly Node[] = [root];
  for (const part of path) nodes = nodes.flatMap((node) => alternatives(node).flatMap((one) => step(one, part)));
  return nodes;
}

function step(node: Node, part: PropertyKey): Node[] {
  const next = typeof part === "number" ? node.items : (node.properties?.[String(part)] ?? node.additionalProperties);
  const parsed = nodeSchema.safeParse(next);
  return parsed.success ? [parsed.data] : [];
}

function alternatives(node: Node): Node[] {
  const inner = (node.anyOf ?? []).flatMap((one) => {
    const parsed = nodeSchema.safeParse(one);
    return parsed.success ? [parsed.data] : [];
  });
  return [node, ...inner];
}

function dotted(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${String(part)}`))
    .join("");
}
