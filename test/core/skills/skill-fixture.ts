import type { Skill } from "../../../src/core/skills/skills.ts";

/** A project's skill, with the given properties. */
export function skillWith(more: Partial<Skill> = {}): Skill {
  return {
    name: "tidy",
    description: "Tidies files.",
    whenToUse: null,
    compatibility: null,
    allowedTools: null,
    tools: null,
    args: [],
    argumentHint: null,
    scope: "run",
    isForPeopleOnly: false,
    ignoredNotes: [],
    body: "Tidy up.",
    origin: "project",
    folder: ".agents/skills/tidy",
    source: ".agents/skills/tidy/SKILL.md",
    ...more,
  };
}

export function arg(name: string, required = false) {
  return { name, description: "", required };
}
