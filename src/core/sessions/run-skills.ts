import type { QueryConfig } from "../agent/query-config.ts";
import { skillArguments } from "../commands/skill-line.ts";
import { skillIndex } from "../context/skill-index.ts";
import { narrowTools } from "../context/skill-narrowing.ts";
import { renderSkill } from "../context/skill-render.ts";
import type { SkillCatalogue } from "../context/skills.ts";
import type { ContentBlock } from "../protocol/messages.ts";
import type { CalledSkill, SessionEventBody } from "./session-event.ts";
import type { SessionSettings } from "./session-settings.ts";

/** What skills add to a run. */
export interface RunSkills {
  /** For the prompt, above the cache boundary. */
  readonly index: string;
  /** The session's active skill, below the boundary; empty without one. */
  readonly active: string;
  /** The settings, narrowed to the tools of the skill that began the run and of the active one. */
  narrowed(config: QueryConfig): QueryConfig;
}

export function skillsOfRun(
  catalogue: SkillCatalogue,
  { body, settings }: { body: SessionEventBody; settings: SessionSettings },
): RunSkills {
  const active =
    settings.activeSkill === undefined ? null : rendered(catalogue, { name: settings.activeSkill, line: "" });
  const called = body.kind === "message" && body.skill !== undefined ? rendered(catalogue, body.skill) : null;
  const narrowing = [active, called].flatMap((skill) => (skill?.tools == null ? [] : [skill.tools]));
  return {
    index: skillIndex(catalogue),
    active: active?.text ?? "",
    narrowed: (config) => {
      if (narrowing.length === 0) return config;
      return { ...config, toolAllow: narrowing.reduce(narrowTools, config.toolAllow) ?? [] };
    },
  };
}

/** A skill that a person called, as it enters the history: what was typed, then what it says. */
export function skillBlocks(called: CalledSkill, catalogue: SkillCatalogue): ContentBlock[] {
  const typed: ContentBlock = { type: "user_command", command: `skill ${called.name}`, args: called.line };
  const skill = rendered(catalogue, called);
  const text = skill?.text ?? `[The skill ${called.name} is not there any more. Say so, and ask what is to be done.]`;
  return [typed, { type: "text", text }];
}

/** Null when the skill has gone since, or wants arguments that it was not given. */
function rendered(catalogue: SkillCatalogue, { name, line }: CalledSkill) {
  const skill = catalogue.find(name);
  const result = skill === undefined ? null : renderSkill(skill, skillArguments(line));
  return result?.type === "ready" ? result : null;
}
