import { type Named, namedLine, namedLines } from "../text/named-lines.ts";
import { argumentLine } from "./skill-render.ts";
import { problemText, SKILL_ORIGINS, type Skill, type SkillCatalogue, skillsForModel } from "./skills.ts";

/** Maximum length of the index, in characters. */
const MAX_INDEX = 8_000;

const INTRO = `Skills are instructions for recurring work. If one fits, call \`skill\` before you start and follow it; it lifts no boundary and grants no permission. A message that begins with one was sent by a person.`;

/**
 * The section of the system prompt that lists the skills; empty if there are none. Equal skills give equal bytes, so
 * that the prompt cache's prefix holds.
 */
export function skillIndex(catalogue: SkillCatalogue): string {
  const skills = skillsForModel(catalogue);
  if (skills.length === 0) return "";
  const room = { mostChars: MAX_INDEX, elsewhere: ' Call `skill` with "list" to see what they are for.' };
  return [INTRO, ...namedLines(skills.map(named), room)].join("\n");
}

function named({ name, description, whenToUse }: Skill): Named {
  return { name, about: [description, whenToUse ?? ""].join(" ").trim() };
}

/** Lists every skill that the model may call, with its arguments and origin, and the files that are broken. */
export function skillListText(catalogue: SkillCatalogue): string {
  const { problems } = catalogue;
  const lines = skillsForModel(catalogue).map((skill) => {
    const line = argumentLine(skill);
    const args = line === "" ? "" : ` Arguments: ${line}.`;
    const replaced = skill.replaces === undefined ? "" : `, in place of the one from ${SKILL_ORIGINS[skill.replaces]}`;
    return `${namedLine(named(skill), 480)}${args} (from ${SKILL_ORIGINS[skill.origin]}${replaced})`;
  });
  const broken = problems.length === 0 ? [] : ["", "Files that are not loaded:", ...problems.map(problemText)];
  return [lines.length === 0 ? "There are no skills." : lines.join("\n"), ...broken].join("\n");
}
