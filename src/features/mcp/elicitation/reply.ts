import { type Field, type FieldValue, FORMATS } from "./fields.ts";

export type FilledIn =
  | { readonly type: "filled"; readonly content: Record<string, FieldValue> }
  /** Sentences for the person who answered. */
  | { readonly type: "wrong"; readonly problems: readonly string[] };

/** Reads a person's answer into the form's values: a line for each field, or the bare text for a single field. */
export function readReply(fields: readonly Field[], text: string): FilledIn {
  const given = new Map<string, string>();
  const problems: string[] = [];
  const [first] = fields;
  const parts = fields.length === 1 ? [text.trim()] : text.split("\n").filter((line) => line.trim() !== "");
  for (const part of parts) {
    const named = namedIn(fields, part);
    if (named !== null) given.set(named.field.name, named.value);
    else if (fields.length > 1) problems.push(`“${part.trim().slice(0, 60)}” is not a field.`);
    else if (first !== undefined) given.set(first.name, part);
  }
  return filledIn(fields, given, problems);
}

/** Fills the form with its default values. */
export function standardReply(fields: readonly Field[]): FilledIn {
  return filledIn(fields, new Map(), []);
}

function filledIn(fields: readonly Field[], given: ReadonlyMap<string, string>, known: readonly string[]): FilledIn {
  const content: Record<string, FieldValue> = {};
  const problems = [...known];
  for (const field of fields) {
    const words = given.get(field.name);
    if (words === undefined) {
      if (field.standard !== null) content[field.name] = field.standard;
      else if (field.required) problems.push(`${field.label} is missing.`);
      continue;
    }
    const value = valueOf(field, words);
    if (value.type === "wrong") problems.push(`${field.label} ${value.problem}.`);
    else content[field.name] = value.value;
  }
  return problems.length > 0 ? { type: "wrong", problems } : { type: "filled", content };
}

/** `Age: 42`, `- age = 42` */
function namedIn(fields: readonly Field[], line: string): { readonly field: Field; readonly value: string } | null {
  const plain = line.trim().replace(/^[-*\u2022]\s*/, "");
  for (const field of fields) {
    for (const name of [field.label, field.name]) {
      const rest = plain.slice(name.length).trimStart();
      if (plain.slice(0, name.length).toLowerCase() !== name.toLowerCase() || !/^[:=]/.test(rest)) continue;
      return { field, value: rest.slice(1).trim() };
    }
  }
  return null;
}

type Value =
  | { readonly type: "value"; readonly value: FieldValue }
  /** The end of a sentence about the field. */
  | { readonly type: "wrong"; readonly problem: string };

const good = (value: FieldValue): Value => ({ type: "value", value });
const wrong = (problem: string): Value => ({ type: "wrong", problem });

function valueOf(field: Field, words: string): Value {
  switch (field.kind) {
    case "boolean":
      if (/^(?:yes|y|true|on|1)$/i.test(words)) return good(true);
      return /^(?:no|n|false|off|0)$/i.test(words) ? good(false) : wrong("must be yes or no");
    case "integer":
    case "number":
      return numberOf(field, words);
    case "choice":
      return choiceOf(field, words);
    case "choices":
      return choicesOf(field, words);
    default:
      return textOf(field, words);
  }
}

function numberOf({ kind, limits: { minimum, maximum } }: Field, words: string): Value {
  const value = words === "" ? Number.NaN : Number(words);
  if (!Number.isFinite(value) || (kind === "integer" && !Number.isInteger(value))) {
    return wrong(`must be a ${kind === "integer" ? "whole number" : "number"}`);
  }
  if (minimum !== undefined && value < minimum) return wrong(`must be at least ${minimum}`);
  return maximum !== undefined && value > maximum ? wrong(`must be at most ${maximum}`) : good(value);
}

function choiceOf({ choices }: Field, words: string): Value {
  const same = (one: string) => one.toLowerCase() === words.toLowerCase();
  const choice = choices.find(({ value, label }) => same(value) || same(label));
  return choice === undefined
    ? wrong(`must be one of ${choices.map(({ label }) => label).join(", ")}`)
    : good(choice.value);
}

function choicesOf(field: Field, words: string): Value {
  const chosen = words.split(",").map((word) => choiceOf(field, word.trim()));
  const bad = chosen.find(({ type }) => type === "wrong");
  if (bad !== undefined) return bad;
  const values = chosen.flatMap((one) => (one.type === "value" ? [String(one.value)] : []));
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = field.limits;
  if (values.length < minItems) return wrong(`must have at least ${minItems}`);
  return values.length > maxItems ? wrong(`must have at most ${maxItems}`) : good(values);
}

function textOf(
  { limits: { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format } }: Field,
  words: string,
): Value {
  if (words.length < minLength) return wrong(`must have at least ${minLength} characters`);
  if (words.length > maxLength) return wrong(`must have at most ${maxLength} characters`);
  const known = format === undefined ? undefined : FORMATS[format];
  return known === undefined || known.schema.safeParse(words).success ? good(words) : wrong(`must be ${known.words}`);
}
