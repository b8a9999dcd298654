import type { ElicitRequestFormParams } from "@modelcontextprotocol/client";
import { z } from "zod";
import { foreignLine } from "../foreign-text.ts";

/** Maximum length of a field's label, hint or choice, in characters. */
const WORDS = 120;
/** Maximum number of fields in one form; the protocol intends few. */
const MAX_FIELDS = 20;

const choiceSchema = z.object({ const: z.string(), title: z.string().optional() });
const listedSchema = z.object({
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(choiceSchema).optional(),
  anyOf: z.array(choiceSchema).optional(),
});
const fieldSchema = listedSchema.extend({
  type: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  default: z.unknown().optional(),
  items: listedSchema.optional(),
});

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export type FieldValue = string | number | boolean | string[];

/** One value that a server asks for. */
export interface Field {
  readonly name: string;
  /** The name that people read and write; the field's own name if the server gives no title. */
  readonly label: string;
  readonly hint: string;
  readonly required: boolean;
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  readonly choices: readonly Choice[];
  readonly limits: Pick<
    z.infer<typeof fieldSchema>,
    "minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems" | "format"
  >;
  readonly standard: FieldValue | null;
}

/** The fields of a request's form; null if it cannot be shown. */
export function fieldsOf({ requestedSchema }: ElicitRequestFormParams): readonly Field[] | null {
  const required = new Set(requestedSchema.required ?? []);
  const fields: Field[] = [];
  for (const [name, raw] of Object.entries(requestedSchema.properties)) {
    const parsed = fieldSchema.safeParse(raw);
    const kind = parsed.success ? kindOf(parsed.data) : null;
    if (!parsed.success || kind === null || fields.length === MAX_FIELDS) return null;
    const { title, description = "", default: standard } = parsed.data;
    const choices = choicesOf(kind === "choices" ? (parsed.data.items ?? {}) : parsed.data);
    const isTitled = title !== undefined && title.trim() !== "";
    fields.push({
      name,
      label: foreignLine(isTitled ? title : name, WORDS),
      hint: foreignLine(description, WORDS),
      required: required.has(name),
      kind,
      choices,
      limits: parsed.data,
      standard: valueSchema.safeParse(standard).data ?? null,
    });
  }
  return withOwnLabels(fields);
}

const valueSchema = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** Labels fields that share a title by their names, since an answer could not tell them apart. */
function withOwnLabels(fields: readonly Field[]): Field[] {
  const count = (label: string) => fields.filter((field) => field.label.toLowerCase() === label.toLowerCase()).length;
  return fields.map((field) => (count(field.label) > 1 ? { ...field, label: foreignLine(field.name, WORDS) } : field));
}

function kindOf({ type, enum: values, oneOf, items }: z.infer<typeof fieldSchema>): Field["kind"] | null {
  if (type === "array") return items === undefined || choicesOf(items).length === 0 ? null : "choices";
  if (type === "boolean" || type === "number" || type === "integer") return type;
  if (type !== "string") return null;
  return values === undefined && oneOf === undefined ? "text" : "choice";
}

function choicesOf({ enum: values, enumNames = [], oneOf, anyOf }: z.infer<typeof listedSchema>): Choice[] {
  const titled = oneOf ?? anyOf ?? values?.map((value, index) => ({ const: value, title: enumNames[index] })) ?? [];
  return titled.map(({ const: value, title }) => ({ value, label: foreignLine(title ?? value, WORDS) }));
}

/** `- Age (required): your age · a whole number from 1 to 100 · 42 unless you say otherwise` */
export function fieldLine(field: Field): string {
  const { label, required, hint, standard } = field;
  const notes = [hint, kindWords(field), standard === null ? "" : `${shown(field, standard)} unless you say otherwise`];
  const about = notes.filter((note) => note !== "").join(" · ");
  return `- ${label}${required ? " (required)" : ""}${about === "" ? "" : `: ${about}`}`;
}

function shown({ choices }: Field, value: FieldValue): string {
  const label = (one: string) => choices.find((choice) => choice.value === one)?.label ?? foreignLine(one, WORDS);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value.map(label).join(", ") : label(String(value));
}

function kindWords({ kind, choices, limits }: Field): string {
  const labels = choices.map(({ label }) => label).join(", ");
  switch (kind) {
    case "boolean":
      return "yes or no";
    case "choice":
      return `one of ${labels}`;
    case "choices":
      return `some of ${labels}, with commas between them`;
    case "integer":
    case "number":
      return `a ${kind === "integer" ? "whole number" : "number"}${rangeWords(limits)}`;
    default:
      return limits.format === undefined ? "" : (FORMATS[limits.format]?.words ?? "");
  }
}

function rangeWords({ minimum, maximum }: Field["limits"]): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  return maximum === undefined ? "" : `, at most ${maximum}`;
}

/** Source: MCP specification, Elicitation, string formats. */
export const FORMATS: Readonly<Record<string, { readonly words: string; readonly schema: z.ZodType<string> }>> = {
  email: { words: "an email address", schema: z.email() },
  uri: { words: "an address", schema: z.url() },
  date: { words: "a date, as 2026-03-14", schema: z.iso.date() },
  "date-time": { words: "a time, as 2026-03-14T09:30:00Z", schema: z.iso.datetime({ offset: true }) },
};
