import { readFrontMatter } from "../../core/skills/skill-format/skill-front-matter.ts";
import { readToolNames } from "../../core/skills/skill-format/tool-names.ts";
import { visibleLine, withoutInvisible } from "../../core/skills/skill-text.ts";
import {
  LIST_SKILLS,
  SKILL_OFF,
  type Skill,
  type SkillOrigin,
  type SkillProblem,
  skillName,
} from "../../core/skills/skills.ts";
import { MAX_LINE, notes, readFields } from "./skill-fields.ts";
import { nameOf } from "./skill-name.ts";

const MAX_BODY = 40_000;

const RESERVED: readonly string[] = [LIST_SKILLS, SKILL_OFF];

export interface SkillFile {
  readonly text: string;
  /** Name of the folder, used if the skill gives no valid name. */
  readonly folderName: string;
  readonly origin: SkillOrigin;
  readonly folder: string;
  readonly source: string;
  /**
   * Derives the fields from the front matter and the text, for files other than SKILL.md, whose front matter is
   * optional.
   */
  readonly complete?: (data: Readonly<Record<string, unknown>>, body: string) => Readonly<Record<string, unknown>>;
}

export type ParsedSkill =
  | { readonly type: "skill"; readonly skill: Skill }
  | { readonly type: "problem"; readonly problem: SkillProblem };

/** Parses a SKILL.md into a skill, or returns its first problem. Unknown parts are ignored and noted. */
export function parseSkill(file: SkillFile): ParsedSkill {
  const { origin, folder, source, folderName } = file;
  const problem = (line: number, reason: string): ParsedSkill => ({
    type: "problem",
    problem: { source, line, reason: visibleLine(reason, MAX_LINE), name: skillName(folderName) },
  });
  const matter = readFrontMatter(file.text, { mayLeaveOut: true, isOptional: file.complete !== undefined });
  if (matter.type === "broken") return problem(matter.line, matter.reason);
  const read = readFields(file.complete?.(matter.data, matter.body) ?? matter.data);
  if (read.type === "wrong") return problem(matter.lineOf(read.key), read.reason);
  const { when_to_use: whenToUse, "allowed-tools": allowedTools, name: given, ...rest } = read.fields;
  const { "argument-hint": argumentHint, "disable-model-invocation": isForPeopleOnly, ...more } = rest;
  const { arguments: named, tools: written, metadata: _metadata, license: _license, ...plain } = more;
  const name = nameOf(given ?? null, folderName);
  if (name === "") return problem(matter.lineOf("name"), NO_NAME);
  if (RESERVED.includes(name)) return problem(matter.lineOf("name"), `name: ${name} is reserved for something else`);
  if (origin === "page" && name !== folderName)
    return problem(matter.lineOf("name"), `name: this skill is called ${folderName}; use that, or leave it out`);
  if (origin === "page" && withoutInvisible(matter.body).trim().length > MAX_BODY)
    return problem(1, `the text is longer than ${MAX_BODY} characters; keep only what matters for every use`);
  const body = bounded(matter.body, { ...file, name });
  if (body === "") return problem(1, "nothing follows the front matter");
  const { tools, foreign } = toolsOf(written);
  const ignoredNotes = notes([...foreign, ...matter.unreadable, ...read.ignoredNotes]);
  const args = plain.args.length > 0 ? plain.args : named;
  const about = { ...plain, name, whenToUse, allowedTools, args, argumentHint, tools, isForPeopleOnly, ignoredNotes };
  return { type: "skill", skill: { ...about, body, origin, folder, source } };
}

const NO_NAME = "name: neither it nor the folder's name has a letter from a to z or a digit; rename the folder";

/** The tools that a skill is limited to. A list of only foreign tools limits nothing. */
function toolsOf(written: readonly string[] | null): Pick<Skill, "tools"> & { readonly foreign: readonly string[] } {
  const { names, foreign } = readToolNames(written ?? []);
  const tools = written === null || (names.length === 0 && foreign.length > 0) ? null : names;
  return { tools, foreign: foreign.map((name) => `tools: ${name}`) };
}

/** Cuts a long body at the end of a line and says how to read the rest. */
function bounded(
  written: string,
  { text, name, origin, source }: Pick<SkillFile, "text" | "origin" | "source"> & { readonly name: string },
): string {
  const body = withoutInvisible(written).trim();
  if (body.length <= MAX_BODY) return body;
  const end = body.lastIndexOf("\n", MAX_BODY);
  const head = body.slice(0, end > 0 ? end : MAX_BODY).toWellFormed();
  const before = linesOf(text) - linesOf(written.trimStart());
  const offset = before + linesOf(head) + (end > 0 ? 1 : 0);
  const rest =
    origin === "project"
      ? `\`read\`, as ${JSON.stringify({ path: source, offset })}`
      : `\`skill\`, as ${JSON.stringify({ skill: name, file: "SKILL.md", offset })}`;
  return `${head}\n[Cut here: of ${body.length} characters ${head.length} are shown. Read the rest with the tool ${rest}.]`;
}

function linesOf(text: string): number {
  return text.split(/\r\n|\r|\n/).length;
}
