import { firstWord } from "../../core/command-line/arguments.ts";
import { skillArguments } from "../../core/command-line/skill-line.ts";
import { skillNeeds, usageOf } from "../../core/command-line/skill-needs.ts";
import type { CalledSkill } from "../../core/events/session-event.ts";
import { bindArguments } from "../../core/skills/skill-arguments.ts";
import { type SkillCatalogue, skillUnavailableText } from "../../core/skills/skills.ts";

/** Splits a job's skill as typed, `weather-forecast Lyon`, into its name and its arguments. */
export function readJobSkill(skill: string): CalledSkill {
  const { word, rest } = firstWord(skill);
  return { name: word, line: rest };
}

export type SkillProblem =
  | { readonly type: "unknown"; readonly name: string }
  /** A sentence that names the missing required arguments, or what is broken. */
  | { readonly type: "lacking"; readonly reason: string };

/** Why a job cannot follow its skill; null if it can. */
export function skillProblem(typed: string, catalogue: SkillCatalogue): SkillProblem | null {
  const { name, line } = readJobSkill(typed);
  const skill = catalogue.find(name);
  const broken = catalogue.broken(name);
  if (broken !== undefined) return { type: "lacking", reason: skillUnavailableText(broken, `\`${broken.name}\``) };
  if (skill === undefined) return { type: "unknown", name };
  const { missing } = bindArguments(skill.args, skillArguments(line));
  if (missing.length === 0) return null;
  return {
    type: "lacking",
    reason: `${skillNeeds(skill, missing)}: \`--skill "${skill.name} ${usageOf(skill)}"\`.`,
  };
}
