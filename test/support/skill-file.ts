import path from "node:path";
import type { Skill } from "../../src/core/skills/skills.ts";
import { parseSkill } from "../../src/tools/skills/skill-parse.ts";

/** A skill as its SKILL.md would define it; `args` are names of required arguments. */
export function skillNamed(name: string, args: readonly string[] = []): Skill {
  const declared = args.map((arg) => `  - name: ${arg}\n    description: which ${arg}\n    required: true\n`);
  const text = `---\nname: ${name}\ndescription: Does ${name}.\n${args.length === 0 ? "" : `args:\n${declared.join("")}`}---\nDo it.`;
  const source = `.agents/skills/${name}/SKILL.md`;
  const parsed = parseSkill({ text, folderName: name, origin: "project", folder: path.dirname(source), source });
  if (parsed.type === "problem") throw new Error(parsed.problem.reason);
  return parsed.skill;
}
