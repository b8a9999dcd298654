/** Where a skill lies: the sandbox root of the channel, the operator's home, the page's revisions, or what comes with Deckhand. */
export type SkillOrigin = "project" | "home" | "page" | "application";

export interface SkillArg {
  readonly name: string;
  /** Empty when the skill says nothing of it. */
  readonly description: string;
  readonly required: boolean;
}

/** One SKILL.md. Texts that are shown in lines are single lines without control and invisible characters. */
export interface Skill {
  /** `[a-z0-9-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  readonly whenToUse: string | null;
  readonly license: string | null;
  readonly compatibility: string | null;
  /** `allowed-tools` as it stands: what the author would like to be allowed. It grants nothing. */
  readonly allowedTools: string | null;
  /** Names of tools: a run of the skill may use no others. Null: it narrows nothing. */
  readonly tools: readonly string[] | null;
  readonly args: readonly SkillArg[];
  /** What to write after the name, as the author says it in other words than `args`. */
  readonly argumentHint: string | null;
  /** `session`: called by a person, it becomes the session's active skill and stays until it is switched off. */
  readonly scope: "run" | "session";
  /** `disable-model-invocation`: a person calls it; the model neither sees nor calls it of its own accord. */
  readonly isForPeopleOnly: boolean;
  /** Fields and values of the front matter that mean nothing here, as short lines. */
  readonly passedOver: readonly string[];
  /** Markdown. */
  readonly body: string;
  readonly origin: SkillOrigin;
  /**
   * The skill's folder: relative to the sandbox root for a project's, else absolute and not for the model's eyes. That of a
   * page's is the one that is shipped under its name; empty where none is, and of a command, which is a file alone.
   */
  readonly folder: string;
  /** Its file as people are told of it, e.g. `.agents/skills/tidy/SKILL.md`. */
  readonly source: string;
  /** Whose skill of the same name it takes the place of; absent: nobody's. */
  readonly replaces?: Exclude<SkillOrigin, "project">;
}

/** Whose skills are, as people read it. */
export const SKILL_ORIGINS: Readonly<Record<SkillOrigin, string>> = {
  project: "this working directory",
  home: "the operator's home",
  page: "the page",
  application: "Deckhand",
};

/** Why a file is no skill. */
export interface SkillProblem {
  readonly source: string;
  /** What the skill would be called by its folder. Empty when that is no name, or no folder of a skill. */
  readonly name: string;
  /** Counted from 1. Null where nothing is wrong with it, and it waits for somebody to allow it. */
  readonly line: number | null;
  readonly reason: string;
}

/** The skills of one sandbox root, by name in order of name; of several with one name the first directory's. */
export interface SkillCatalogue {
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
  /** Takes a name as people write it. */
  find(name: string): Skill | undefined;
  /** Why a skill of that name is not among them, when a file of that name is broken. */
  broken(name: string): SkillProblem | undefined;
}

/** What `skill` takes in place of a name. */
export const LIST_SKILLS = "list";
/** What `/skill` takes in place of a name: no skill is active any more. */
export const SKILL_OFF = "off";

/** Characters. Source: agentskills.io. */
const MAX_NAME = 64;

/** A name as skills have them: lower case letters, digits and single hyphens; empty when nothing is left of it. */
export function skillName(text: string): string {
  const hyphened = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return hyphened.replace(/^-/, "").slice(0, MAX_NAME).replace(/-$/, "");
}

/** `<plugin>:<name>`, as skills that came together call each other. */
function withoutPlugin(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1);
}

/** The first skill of each name wins. */
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

/** Those that the model may see and call of its own accord. */
export function skillsForModel({ skills }: SkillCatalogue): readonly Skill[] {
  return skills.filter(({ isForPeopleOnly }) => !isForPeopleOnly);
}

export function problemText({ source, line, reason }: SkillProblem): string {
  return line === null ? `${source} ${reason}` : `${source}:${line}: ${reason}`;
}

/** Why a skill that was called is not there: `The skill **tidy** is broken: …`. `shown`: its name as it is to be read. */
export function whyMissing(problem: SkillProblem, shown: string): string {
  if (problem.line === null) return `The skill ${shown} waits: ${problemText(problem)}.`;
  return `The skill ${shown} is broken: ${problemText(problem)}`;
}
