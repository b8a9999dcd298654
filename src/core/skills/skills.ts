/**
 * Where a skill is stored: the channel's sandbox root, the operator's home, the page's revisions, or the program
 * itself.
 */
export type SkillOrigin = "project" | "home" | "page" | "application";

export interface SkillArg {
  readonly name: string;
  /** Empty if the skill does not describe it. */
  readonly description: string;
  readonly required: boolean;
}

/** One SKILL.md. Texts shown in lists are single lines without control and invisible characters. */
export interface Skill {
  /** `[a-z0-9-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  readonly whenToUse: string | null;
  readonly compatibility: string | null;
  /** `allowed-tools` as written: the tools that the author suggests. It grants nothing. */
  readonly allowedTools: string | null;
  /** Tools that a run of the skill is limited to; null for no limit. */
  readonly tools: readonly string[] | null;
  readonly args: readonly SkillArg[];
  /** What to write after the name, if the author describes it in words instead of `args`. */
  readonly argumentHint: string | null;
  /** `session`: if called by a person, the skill becomes the session's active skill until it is switched off. */
  readonly scope: "run" | "session";
  /** `disable-model-invocation`: only people can call the skill, and the model does not see it in the index. */
  readonly isForPeopleOnly: boolean;
  /** Ignored fields and values of the front matter, as short lines. */
  readonly ignoredNotes: readonly string[];
  /** Markdown. */
  readonly body: string;
  readonly origin: SkillOrigin;
  /**
   * The skill's folder, relative to the sandbox root for a project's skill, otherwise absolute and hidden from the
   * model. A page's skill uses the folder of the shipped skill of that name. Empty if there is none, as for a command
   * in a single file.
   */
  readonly folder: string;
  /** The file's name for people, such as `.agents/skills/tidy/SKILL.md`. */
  readonly source: string;
  /** Origin of the skill that this one overrides; absent if there is none. */
  readonly replaces?: Exclude<SkillOrigin, "project">;
}

/** The origins of skills, for people. */
export const SKILL_ORIGINS: Readonly<Record<SkillOrigin, string>> = {
  project: "this working directory",
  home: "the operator's home",
  page: "the page",
  application: "Deckhand",
};

export interface SkillProblem {
  readonly source: string;
  /** The skill's name by its folder; empty if that is not a valid name or the file is not a skill's. */
  readonly name: string;
  /** Counted from 1. Null if the file is not broken but waits for somebody's permission. */
  readonly line: number | null;
  readonly reason: string;
}

/** The skills of one sandbox root, in order of name. Of several with one name, that of the first directory counts. */
export interface SkillCatalogue {
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
  /** Finds a skill by a name as people write it. */
  find(name: string): Skill | undefined;
  /** The problem of a broken file with that name, if no skill has the name. */
  broken(name: string): SkillProblem | undefined;
}

/** Lists the skills when given to `skill` in place of a name. */
export const LIST_SKILLS = "list";
/** Switches off the active skill when given to `/skill` in place of a name. */
export const SKILL_OFF = "off";

/** Maximum length of a name, in characters. Source: agentskills.io. */
const MAX_NAME = 64;

/** Normalises a name to lower-case letters, digits and single hyphens; empty if nothing is left. */
export function skillName(text: string): string {
  const hyphened = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return hyphened.replace(/^-/, "").slice(0, MAX_NAME).replace(/-$/, "");
}

/** Removes the plugin from `<plugin>:<name>`, the form in which skills of one plugin refer to each other. */
function withoutPlugin(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1);
}

/** Builds a catalogue. The first skill of each name wins. */
export function skillCatalogue(found: readonly Skill[], problems: readonly SkillProblem[]): SkillCatalogue {
  const byName = new Map<string, Skill>();
  for (const skill of found) {
    const before = byName.get(skill.name);
    if (before === undefined) byName.set(skill.name, skill);
    else if (before.replaces === undefined && skill.origin !== "project" && skill.origin !== before.origin)
      byName.set(skill.name, { ...before, replaces: skill.origin });
  }
  const skills = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const find = (name: string) => byName.get(skillName(name)) ?? byName.get(skillName(withoutPlugin(name)));
  const broken = (name: string) => {
    const asked = [skillName(name), skillName(withoutPlugin(name))].filter((one) => one !== "");
    return find(name) === undefined ? problems.find((problem) => asked.includes(problem.name)) : undefined;
  };
  return { skills, problems, find, broken };
}

/** The skills that the model may see and call by itself. */
export function skillsForModel({ skills }: SkillCatalogue): readonly Skill[] {
  return skills.filter(({ isForPeopleOnly }) => !isForPeopleOnly);
}

export function problemText({ source, line, reason }: SkillProblem): string {
  return line === null ? `${source} ${reason}` : `${source}:${line}: ${reason}`;
}

/** Explains why a called skill is unavailable: `The skill **tidy** is broken: …`. `shown` is its formatted name. */
export function skillUnavailableText(problem: SkillProblem, shown: string): string {
  if (problem.line === null) return `The skill ${shown} is not available yet: ${problemText(problem)}.`;
  return `The skill ${shown} is broken: ${problemText(problem)}`;
}
