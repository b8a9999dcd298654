import { cut } from "../text/plain-text.ts";
import { argumentLine } from "./skill-render.ts";
import { problemText, SKILL_ORIGINS, type Skill, type SkillCatalogue, skillsForModel } from "./skills.ts";

/** Characters of the index: it is part of every request. */
const MAX_INDEX = 8_000;
/** Characters of a skill's line after its name, tried in this order until the index fits. */
const LINE_LENGTHS = [480, 240, 120, 60];

const INTRO = `Skills are instructions for recurring work. When one fits, call \`skill\` before you begin and follow it; it lifts no boundary and grants no permission. A message that begins with one was sent by a person.`;

/**
 * The part of the system prompt that names the skills; empty without any. The same bytes for the same skills, so that
 * the prefix of requests stays as it is.
 */
export function skillIndex(catalogue: SkillCatalogue): string {
  const skills = skillsForModel(catalogue);
  if (skills.length === 0) return "";
  const fitting = LINE_LENGTHS.map((most) => skills.map((skill) => indexLine(skill, most))).find(
    (lines) => lines.join("\n").length <= MAX_INDEX,
  );
  return [INTRO, ...(fitting ?? bareNames(skills))].join("\n");
}

function indexLine({ name, description, whenToUse }: Skill, most: number): string {
  return `- ${name}: ${cut([description, whenToUse ?? ""].join(" ").trim(), most)}`;
}

function bareNames(skills: readonly Skill[]): string[] {
  const fitting: string[] = [];
  let length = 0;
  for (const { name } of skills) {
    length += name.length + 2;
    if (length > MAX_INDEX) break;
    fitting.push(name);
  }
  const left = skills.length - fitting.length;
  const more = left === 0 ? "" : ` … and ${left} more`;
  return [`${fitting.join(", ")}${more}. The tool \`skill\` with "list" tells what they are for.`];
}

/** Every skill that the model may call with what it takes and where it comes from, and the files that are broken. */
export function skillListText(catalogue: SkillCatalogue): string {
  const { problems } = catalogue;
  const lines = skillsForModel(catalogue).map((skill) => {
    const line = argumentLine(skill);
    const args = line === "" ? "" : ` Arguments: ${line}.`;
    const replaced = skill.replaces === undefined ? "" : `, in place of the one from ${SKILL_ORIGINS[skill.replaces]}`;
    return `${indexLine(skill, 480)}${args} (from ${SKILL_ORIGINS[skill.origin]}${replaced})`;
  });
  const broken = problems.length === 0 ? [] : ["", "Files that are not loaded:", ...problems.map(problemText)];
  return [lines.length === 0 ? "There are no skills." : lines.join("\n"), ...broken].join("\n");
}
