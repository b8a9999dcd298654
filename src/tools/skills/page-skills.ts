import { readFileSync } from "node:fs";
import path from "node:path";
import type {
  Definition,
  DefinitionCheck,
  DefinitionSet,
  DefinitionTexts,
  Fact,
} from "../../core/agents/page-definitions.ts";
import type { Log } from "../../core/protocol/log.ts";
import { argumentLine } from "../../core/skills/skill-render.ts";
import { problemText, type Skill } from "../../core/skills/skills.ts";
import type { OwnSkillRoots } from "./skill-directories.ts";
import { type ParsedSkill, parseSkill } from "./skill-parse.ts";
import { createOwnSkillReader, createSkillReader, type SkillReader } from "./skill-reader.ts";

interface PageSkills {
  /** Reads the skills that apply in a sandbox root, including those of the page. */
  readonly reader: SkillReader;
  readonly definitions: DefinitionSet;
}

/** Combines the skills of files and of the page. */
export function createPageSkills(roots: OwnSkillRoots, log: Log): PageSkills {
  let fromPage: readonly ParsedSkill[] = [];
  const own = createOwnSkillReader(roots, log);
  return {
    reader: createSkillReader(roots, log, () => fromPage),
    definitions: {
      all: () => definitionsIn(own(), fromPage),
      check,
      problems: () =>
        [...own(), ...fromPage].flatMap((one) => (one.type === "problem" ? [problemText(one.problem)] : [])),
      set: (texts) => {
        fromPage = parsed(texts);
      },
    },
  };
}

function parsed(texts: DefinitionTexts): ParsedSkill[] {
  return [...texts].map(([name, text]) => parsePageSkill(name, text));
}

function parsePageSkill(name: string, text: string): ParsedSkill {
  return parseSkill({ text, folderName: name, origin: "page", folder: "", source: `${name}/SKILL.md on the page` });
}

function check(name: string, text: string): DefinitionCheck {
  const read = parsePageSkill(name, text);
  if (read.type === "skill") return { problems: [], notes: read.skill.ignoredNotes };
  const { line, reason } = read.problem;
  return { problems: [{ line: line ?? 1, message: reason }], notes: [] };
}

function definitionsIn(own: readonly ParsedSkill[], fromPage: readonly ParsedSkill[]): Definition[] {
  const skills = [...own, ...fromPage].flatMap((one) => (one.type === "skill" ? [one.skill] : []));
  const broken = fromPage.flatMap((one) => (one.type === "problem" ? [one.problem.name] : []));
  const of = (name: string, origin: Skill["origin"]) =>
    skills.find((skill) => skill.name === name && skill.origin === origin);
  return [...new Set([...skills.map(({ name }) => name), ...broken])].sort().map((name) => {
    const [home, page, shipped] = [of(name, "home"), of(name, "page"), of(name, "application")];
    const now = home ?? page ?? shipped;
    return {
      name,
      description: now?.description ?? "",
      shipped: shipped === undefined ? null : textOf(shipped),
      own: home === undefined ? null : { place: fileOf(home), text: textOf(home) },
      facts: now === undefined ? [] : factsOf(now),
    };
  });
}

function factsOf(skill: Skill): Fact[] {
  const { whenToUse, tools, scope, isForPeopleOnly } = skill;
  const takes = argumentLine(skill);
  return [
    ...(whenToUse === null ? [] : [{ term: "When", words: whenToUse }]),
    ...(takes === "" ? [] : [{ term: "Takes", words: takes }]),
    ...(tools === null ? [] : [{ term: "Tools", words: tools.join(", ") || "none" }]),
    { term: "Called by", words: isForPeopleOnly ? "people alone" : "people and the model" },
    { term: "Holds for", words: scope === "session" ? "the session, until /skill off" : "the request" },
  ];
}

function fileOf({ folder }: Skill): string {
  return path.join(folder, "SKILL.md");
}

function textOf(skill: Skill): string {
  return readFileSync(fileOf(skill), "utf8");
}
