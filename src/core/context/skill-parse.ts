import { z } from "zod";
import { readFrontMatter } from "./skill-front-matter.ts";
import { seenLine, seenText } from "./skill-text.ts";
import { LIST_SKILLS, SKILL_OFF, type Skill, type SkillOrigin, type SkillProblem, skillName } from "./skills.ts";

/** Characters. The first two: agentskills.io; the others keep a skill from filling the prompt. */
const MAX_DESCRIPTION = 1_024;
const MAX_COMPATIBILITY = 500;
const MAX_LINE = 500;
const MAX_BODY = 40_000;
const MAX_ARGS = 20;
const MAX_TOOLS = 50;
const MAX_METADATA = 50;

const RESERVED: readonly string[] = [LIST_SKILLS, SKILL_OFF];

export interface SkillFile {
  readonly text: string;
  /** The name of the folder, for a skill that does not say its own. */
  readonly folderName: string;
  readonly origin: SkillOrigin;
  readonly folder: string;
  readonly source: string;
}

export type ParsedSkill =
  | { readonly type: "skill"; readonly skill: Skill }
  | { readonly type: "problem"; readonly problem: SkillProblem };

/** A SKILL.md as a skill, or the first thing that is wrong with it. Fields that are not known are passed over. */
export function parseSkill(file: SkillFile): ParsedSkill {
  const { origin, folder, source } = file;
  const problem = (line: number, reason: string): ParsedSkill => ({
    type: "problem",
    problem: { source, line, reason: seenLine(reason, MAX_LINE) },
  });
  const matter = readFrontMatter(file.text);
  if (matter.type === "broken") return problem(matter.line, matter.reason);
  const parsed = fields.safeParse(matter.data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const key = String(issue?.path[0] ?? "");
    return problem(matter.lineOf(key), `${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? ""}`);
  }
  const { when_to_use: whenToUse, "allowed-tools": allowedTools, name: given, ...rest } = parsed.data;
  const { "argument-hint": argumentHint, arguments: named, ...plain } = rest;
  const args = plain.args.length > 0 ? plain.args : named;
  const name = skillName(given ?? file.folderName);
  if (name === "") return problem(matter.lineOf("name"), "name: has neither a letter from a to z nor a digit");
  if (RESERVED.includes(name)) return problem(matter.lineOf("name"), `name: ${name} stands for something else`);
  const body = bounded(seenText(matter.body).trim());
  if (body === "") return problem(1, "nothing follows the front matter");
  return {
    type: "skill",
    skill: { ...plain, name, args, argumentHint, whenToUse, allowedTools, body, origin, folder, source },
  };
}

function bounded(body: string): string {
  if (body.length <= MAX_BODY) return body;
  const head = body.slice(0, MAX_BODY).toWellFormed();
  return `${head}\n[Cut here: of ${body.length} characters ${MAX_BODY} are read. The rest belongs into files beside SKILL.md.]`;
}

/** YAML makes numbers and dates of what was meant as text. */
const scalar = z
  .union([z.string(), z.number(), z.boolean(), z.date().transform((date) => date.toISOString())], "must be a text")
  .transform(String);
const line = (most: number) => scalar.transform((text) => seenLine(text, most));
const optionalLine = (most: number) =>
  line(most)
    .nullish()
    .transform((text) => (text === undefined || text === "" ? null : text));

/** A list, or a text with blanks or commas between its items. */
const items = z.union(
  [
    z.array(line(MAX_LINE)).max(MAX_TOOLS, `has more than ${MAX_TOOLS} items`),
    scalar.transform((text) =>
      seenLine(text, MAX_DESCRIPTION)
        .split(/[\s,]+/)
        .filter((item) => item !== ""),
    ),
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
        description: seenLine(one.description ?? "", MAX_LINE),
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

/** Names of arguments as other agents' skills list them: a list, or a text with blanks between. Others are no names. */
const argumentNames = z
  .union([z.array(scalar), scalar.transform((text) => text.split(/[\s,]+/))])
  .nullish()
  .catch(null)
  .transform((names) => [...new Set(names)].filter((name) => ARGUMENT_NAME.test(name)).slice(0, MAX_ARGS))
  .transform((names) => names.map((name) => ({ name, description: "", required: false })));

/** `[file] [format]` is a text to who writes it; YAML makes a list of `[file]`. */
const argumentHint = z
  .union([z.array(scalar).transform((parts) => `[${parts.join(", ")}]`), scalar])
  .nullish()
  .catch(null)
  .transform((text) => seenLine(text ?? "", MAX_LINE) || null);

/** Only plain values are taken. */
const metadata = z
  .unknown()
  .optional()
  .transform((value): Readonly<Record<string, string>> => {
    if (typeof value !== "object" || value === null) return {};
    const plain = Object.entries(value)
      .slice(0, MAX_METADATA)
      .flatMap(([key, entry]) => {
        const text = line(MAX_LINE).safeParse(entry);
        return text.success ? [[seenLine(key, MAX_LINE), text.data] as const] : [];
      });
    return Object.fromEntries(plain);
  });

const fields = z.object({
  name: line(MAX_LINE).nullish(),
  description: scalar
    .nullish()
    .transform((text) => seenLine(text ?? "", MAX_DESCRIPTION))
    .refine((text) => text !== "", "is missing"),
  when_to_use: optionalLine(MAX_LINE),
  license: optionalLine(MAX_LINE),
  compatibility: optionalLine(MAX_COMPATIBILITY),
  metadata,
  "allowed-tools": z
    .union([z.array(line(MAX_LINE)).transform((list) => list.join(", ")), scalar], "must be a text or a list of names")
    .nullish()
    .transform((text) => (text === undefined || text === null ? null : seenLine(text, MAX_DESCRIPTION) || null)),
  tools: items.nullish().transform((list) => list ?? null),
  args: args.nullish().transform((list) => list ?? []),
  "argument-hint": argumentHint,
  arguments: argumentNames,
  scope: z.enum(["run", "session"], "must be run or session").default("run"),
});
