import { z } from "zod";
import { partToolNames } from "../../core/skills/skill-format/tool-names.ts";
import { visibleLine } from "../../core/skills/skill-text.ts";

/**
 * Maximum lengths, in characters. The first two are from agentskills.io; the others keep a skill from filling the
 * prompt.
 */
const MAX_DESCRIPTION = 1_024;
const MAX_COMPATIBILITY = 500;
export const MAX_LINE = 500;
const MAX_ARGS = 20;
const MAX_TOOLS = 50;

/** Accepts numbers and dates, because YAML turns some texts into these. */
const scalar = z
  .union([z.string(), z.number(), z.boolean(), z.date().transform((date) => date.toISOString())], "must be text")
  .transform(String);
const line = (most: number) => scalar.transform((text) => visibleLine(text, most));
const optionalLine = (most: number) =>
  line(most)
    .nullish()
    .transform((text) => (text === undefined || text === "" ? null : text));

/** A list, or a text with blanks or commas between the items. */
const items = z.union(
  [
    z.array(line(MAX_LINE)).max(MAX_TOOLS, `has more than ${MAX_TOOLS} items`),
    scalar.transform((text) => partToolNames(visibleLine(text, MAX_DESCRIPTION))),
  ],
  "must be a list of names",
);

const arg = z.union(
  [
    scalar.transform((name) => ({ name })),
    z.object({ name: scalar, description: scalar.nullish(), required: z.boolean().nullish() }),
  ],
  "must be a name, or a mapping with name, description and required (true or false)",
);

const ARGUMENT_NAME = /^[A-Za-z][\w-]{0,39}$/;

const args = z
  .array(arg, "must be a list")
  .max(MAX_ARGS, `has more than ${MAX_ARGS} items`)
  .transform((list) =>
    list.map(
      (one: { name: string; description?: string | null | undefined; required?: boolean | null | undefined }) => ({
        name: one.name.trim(),
        description: visibleLine(one.description ?? "", MAX_LINE),
        required: one.required === true,
      }),
    ),
  )
  .refine((list) => list.every(({ name }) => ARGUMENT_NAME.test(name)), {
    message: "an argument's name begins with a letter and has letters, digits, _ and - only, at most 40",
  })
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
    message: "two arguments have the same name",
  });

/**
 * Argument names in the format of other agents: a list, or a text with blanks between names. Invalid names are dropped.
 */
const argumentNames = z
  .union([z.array(scalar), scalar.transform((text) => text.split(/[\s,]+/))], "must be a list of names")
  .nullish()
  .transform((names) => [...new Set(names)].filter((name) => ARGUMENT_NAME.test(name)).slice(0, MAX_ARGS))
  .transform((names) => names.map((name) => ({ name, description: "", required: false })));

/** Accepts a list, because YAML parses the text `[file]` as one. */
const argumentHint = z
  .union([z.array(scalar).transform((parts) => `[${parts.join(", ")}]`), scalar], "must be text")
  .nullish()
  .transform((text) => visibleLine(text ?? "", MAX_LINE) || null);

/** The fields of a front matter. Values are limited in length and stripped of invisible characters. */
const fields = z.object({
  name: line(MAX_LINE).nullish(),
  description: scalar
    .nullish()
    .transform((text) => visibleLine(text ?? "", MAX_DESCRIPTION))
    .refine((text) => text !== "", "is missing"),
  when_to_use: optionalLine(MAX_LINE),
  compatibility: optionalLine(MAX_COMPATIBILITY),
  /** Not used here, like the author's notes for other programs in `metadata`. */
  license: z.unknown().optional(),
  metadata: z.unknown().optional(),
  "allowed-tools": z
    .union([z.array(line(MAX_LINE)).transform((list) => list.join(", ")), scalar], "must be text or a list of names")
    .nullish()
    .transform((text) => (text === undefined || text === null ? null : visibleLine(text, MAX_DESCRIPTION) || null)),
  tools: items.nullish().transform((list) => list ?? null),
  args: args.nullish().transform((list) => list ?? []),
  "argument-hint": argumentHint,
  arguments: argumentNames,
  scope: z
    .enum(["run", "session"], "must be run or session")
    .nullish()
    .transform((scope) => scope ?? "run"),
  "disable-model-invocation": z
    .union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")], "must be true or false")
    .nullish()
    .transform((isDisabled) => isDisabled ?? false),
});

/** Fields that other agents use differently. Values that do not fit are ignored. */
const FOREIGN: ReadonlySet<string> = new Set([
  "name",
  "compatibility",
  "when_to_use",
  "allowed-tools",
  "tools",
  "arguments",
  "argument-hint",
  "scope",
]);

/** Maximum number of notes about one file. */
const MAX_NOTES = 10;
/** Maximum length of a note, in characters. */
const MAX_NOTE = 80;

export type ReadFields =
  | { readonly type: "read"; readonly fields: z.infer<typeof fields>; readonly ignoredNotes: readonly string[] }
  | { readonly type: "wrong"; readonly key: string; readonly reason: string };

/** Reads the fields of a front matter. Returns them with notes about ignored parts, or the first error. */
export function readFields(data: Readonly<Record<string, unknown>>): ReadFields {
  const unknown = Object.keys(data).filter((key) => !(key in fields.shape));
  const parsed = fields.safeParse(data);
  if (parsed.success) return { type: "read", fields: parsed.data, ignoredNotes: notes(unknown) };
  const wrong = parsed.error.issues.map(({ path, message }) => ({ path: path.map(String), message }));
  const fatal = wrong.find(({ path: [key = ""] }) => !FOREIGN.has(key));
  const keys = new Set(wrong.map(({ path: [key] }) => key));
  const rest = fields.safeParse(Object.fromEntries(Object.entries(data).filter(([key]) => !keys.has(key))));
  if (fatal !== undefined || !rest.success) {
    const { path = [], message = "" } = fatal ?? wrong[0] ?? {};
    return { type: "wrong", key: path[0] ?? "", reason: `${path.join(".")}: ${message}` };
  }
  const odd = wrong.map(({ path, message }) => `${path.join(".")} (${message})`);
  return { type: "read", fields: rest.data, ignoredNotes: notes([...odd, ...unknown]) };
}

/** Short notes that can be shown inside a code span. */
export function notes(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].slice(0, MAX_NOTES).map((text) => visibleLine(text.replaceAll("`", "'"), MAX_NOTE));
}
