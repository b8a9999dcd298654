import type { QueryConfig } from "../agents/query-config.ts";
import { skillArguments } from "../command-line/skill-line.ts";
import type { CalledSkill, SessionEventBody, StoredEvent } from "../events/session-event.ts";
import type { SessionSettings } from "../events/session-settings.ts";
import type { ContentBlock } from "../protocol/messages.ts";
import { skillIndex } from "../skills/skill-index.ts";
import { narrowTools } from "../skills/skill-narrowing.ts";
import { renderSkill } from "../skills/skill-render.ts";
import { type SkillCatalogue, whyMissing } from "../skills/skills.ts";

/** What skills add to a run. */
export interface RunSkills {
  /** For the prompt, above the cache boundary. */
  readonly index: string;
  /** The session's active skill, below the boundary; empty without one. */
  readonly active: string;
}

export function skillsOfRun(catalogue: SkillCatalogue, settings: SessionSettings): RunSkills {
  const [active] = activeSkill(settings);
  return {
    index: skillIndex(catalogue),
    active: (active && rendered(catalogue, active)?.text) ?? "",
  };
}

/** What the active skill and the one that began a run narrow it to, a list for each. Reads skills only where one is named. */
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

/** The settings, narrowed to tools that are on every list. */
export function narrowedTo(lists: readonly (readonly string[])[], config: QueryConfig): QueryConfig {
  if (lists.length === 0) return config;
  return { ...config, toolAllow: lists.reduce(narrowTools, config.toolAllow) ?? [] };
}

function activeSkill({ activeSkill: name, activeSkillLine: line = "" }: SessionSettings): CalledSkill[] {
  return name === undefined ? [] : [{ name, line }];
}

/** A skill that a person called, as it enters the history: what was typed, then what it says. */
export function skillBlocks(called: CalledSkill, catalogue: SkillCatalogue): ContentBlock[] {
  const typed: ContentBlock = { type: "user_command", command: `skill ${called.name}`, args: called.line };
  const skill = rendered(catalogue, called);
  const text = skill?.text ?? `[The skill ${called.name} is not there any more. Say so, and ask what is to be done.]`;
  return [typed, { type: "text", text }];
}

/**
 * What people read of skills that cannot be followed any more as they were called, and when the last was called, if nothing
 * else was asked; null when there is something to do. A model without a skill's text and its limits could only guess.
 */
export function goneSkills(
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
    return `${whyMissing(broken, `**${name}**`)} It was not so when you called it, so nothing was done.`;
  return catalogue.find(name) === undefined
    ? `The skill **${name}** has been removed since you called it, so nothing was done. \`/skill\` lists those that there are.`
    : `The skill **${name}** has been changed since you called it and needs more, so nothing was done. \`/skill ${name}\` says what.`;
}

/** Null when the skill has gone since, or wants arguments that it was not given. */
function rendered(catalogue: SkillCatalogue, { name, line }: CalledSkill) {
  const skill = catalogue.find(name);
  const result = skill === undefined ? null : renderSkill(skill, skillArguments(line));
  return result?.type === "ready" ? result : null;
}
