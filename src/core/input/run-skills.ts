import type { QueryConfig } from "../agents/query-config.ts";
import { skillArguments } from "../command-line/skill-line.ts";
import type { CalledSkill, SessionEventBody, StoredEvent } from "../events/session-event.ts";
import type { SessionSettings } from "../events/session-settings.ts";
import type { ContentBlock } from "../protocol/messages.ts";
import { skillIndex } from "../skills/skill-index.ts";
import { narrowTools } from "../skills/skill-narrowing.ts";
import { renderSkill } from "../skills/skill-render.ts";
import { type SkillCatalogue, skillUnavailableText } from "../skills/skills.ts";

/** Prompt sections that skills add to a run. */
export interface RunSkills {
  /** The index of skills, above the cache boundary. */
  readonly index: string;
  /** The session's active skill, below the boundary; empty if there is none. */
  readonly active: string;
}

export function skillsOfRun(catalogue: SkillCatalogue, settings: SessionSettings): RunSkills {
  const [active] = activeSkill(settings);
  return {
    index: skillIndex(catalogue),
    active: (active && rendered(catalogue, active)?.text) ?? "",
  };
}

/** The tool lists of the active skill and of the skill that began the run. Loads skills only if one is named. */
export function toolsOfSkills(
  { body, settings }: { readonly body: SessionEventBody; readonly settings: SessionSettings },
  skillsOf: () => SkillCatalogue,
): readonly (readonly string[])[] {
  const began = body.kind === "message" && body.skill !== undefined ? [body.skill] : [];
  const named = [...activeSkill(settings), ...began];
  if (named.length === 0) return [];
  const catalogue = skillsOf();
  return named.flatMap((skill) => {
    const tools = rendered(catalogue, skill)?.tools ?? null;
    return tools === null ? [] : [tools];
  });
}

/** Narrows the config to tools that are on every list. */
export function narrowConfigTools(lists: readonly (readonly string[])[], config: QueryConfig): QueryConfig {
  if (lists.length === 0) return config;
  return { ...config, toolAllow: lists.reduce(narrowTools, config.toolAllow) ?? [] };
}

function activeSkill({ activeSkill: name, activeSkillLine: line = "" }: SessionSettings): CalledSkill[] {
  return name === undefined ? [] : [{ name, line }];
}

/** The history blocks of a skill that a person called: the typed command and the skill's text. */
export function skillBlocks(called: CalledSkill, catalogue: SkillCatalogue): ContentBlock[] {
  const typed: ContentBlock = { type: "user_command", command: `skill ${called.name}`, args: called.line };
  const skill = rendered(catalogue, called);
  const text = skill?.text ?? `[The skill ${called.name} no longer exists. Say so, and ask what to do.]`;
  return [typed, { type: "text", text }];
}

/**
 * A reply about called skills that have been removed or changed so that they cannot run, and the time of the last
 * request. Null if anything else was asked or any called skill still works. Without a skill's text and limits, a model
 * could only guess.
 */
export function unavailableSkillsReply(
  events: readonly StoredEvent[],
  skillsOf: () => SkillCatalogue,
): { readonly text: string; readonly at: number } | null {
  const asked = events.flatMap(({ body }) => (body.kind === "message" && body.addressed ? [body] : []));
  const called = asked.flatMap(({ skill }) => (skill === undefined ? [] : [skill]));
  const last = asked.at(-1);
  if (last === undefined || called.length < asked.length) return null;
  const catalogue = skillsOf();
  if (called.some((skill) => rendered(catalogue, skill) !== null)) return null;
  return { text: called.map((skill) => goneText(skill, catalogue)).join("\n"), at: last.at };
}

function goneText({ name }: CalledSkill, catalogue: SkillCatalogue): string {
  const broken = catalogue.broken(name);
  if (broken !== undefined)
    return `${skillUnavailableText(broken, `**${name}**`)} It was fine when you called it, so nothing was done.`;
  return catalogue.find(name) === undefined
    ? `The skill **${name}** has been removed since you called it, so nothing was done. \`/skill\` lists the ones available.`
    : `The skill **${name}** has been changed since you called it and needs more, so nothing was done. \`/skill ${name}\` shows what.`;
}

/** Renders a called skill; null if it was removed, broke or lacks arguments. */
function rendered(catalogue: SkillCatalogue, { name, line }: CalledSkill) {
  const skill = catalogue.find(name);
  const result = skill === undefined ? null : renderSkill(skill, skillArguments(line));
  return result?.type === "ready" ? result : null;
}
