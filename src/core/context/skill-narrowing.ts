import { type Message, toolUsesOf } from "../protocol/messages.ts";
import type { SkillCatalogue } from "./skills.ts";

/**
 * What a run may use beside `allowed` (undefined: everything) once skills narrow it to `tools`. `skill` stays, so that
 * a skill's own files can be read; what was not allowed before is not allowed now.
 */
export function narrowTools(allowed: readonly string[] | undefined, tools: readonly string[]): readonly string[] {
  return [...new Set(["skill", ...tools])].filter((name) => allowed === undefined || allowed.includes(name));
}

/**
 * The tools that the skills a model has called in these messages narrow the run to: all that any of them names. Null
 * when none narrows it. A call that failed, or that asked for a file or the list, counts for nothing.
 */
export function toolsOfCalledSkills(
  messages: readonly Pick<Message, "content">[],
  catalogue: Pick<SkillCatalogue, "find">,
): readonly string[] | null {
  const succeeded = new Set(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_result" && !block.isError ? [block.toolUseId] : [])),
    ),
  );
  const narrowing = messages
    .flatMap(({ content }) => toolUsesOf(content))
    .filter(({ id, name }) => name === "skill" && succeeded.has(id))
    .flatMap(({ input }) => {
      const name = calledSkill(input);
      const tools = name === null ? null : catalogue.find(name)?.tools;
      return tools === null || tools === undefined ? [] : [tools];
    });
  return narrowing.length === 0 ? null : [...new Set(narrowing.flat())].sort();
}

function calledSkill(input: unknown): string | null {
  if (typeof input !== "object" || input === null || "file" in input || !("skill" in input)) return null;
  return typeof input.skill === "string" ? input.skill : null;
}
