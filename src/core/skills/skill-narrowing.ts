import { type Message, textOf, toolUsesOf } from "../protocol/messages.ts";
import { toolsToldOf } from "./skill-render.ts";

/**
 * What a run may use beside `allowed` (undefined: everything) once skills narrow it to `tools`. `skill` stays, so that
 * a skill's own files can be read; what was not allowed before is not allowed now.
 */
export function narrowTools(allowed: readonly string[] | undefined, tools: readonly string[]): readonly string[] {
  return [...new Set(["skill", ...tools])].filter((name) => allowed === undefined || allowed.includes(name));
}

/**
 * The tools that the skills a model has called in these messages narrow the run to: all that any of them names. Null
 * when none narrows it. What was told then counts: a SKILL.md that changes or goes meanwhile frees nothing.
 */
export function toolsOfCalledSkills(messages: readonly Pick<Message, "content">[]): readonly string[] | null {
  const calls = messages
    .flatMap(({ content }) => toolUsesOf(content))
    .filter(({ name, input }) => name === "skill" && isCall(input));
  const ids = new Set(calls.map(({ id }) => id));
  const narrowing = messages.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type !== "tool_result" || block.isError || !ids.has(block.toolUseId)) return [];
      const tools = toolsToldOf(textOf(block.content));
      return tools === null ? [] : [tools];
    }),
  );
  return narrowing.length === 0 ? null : [...new Set(narrowing.flat())].sort();
}

/** Not for a file of the skill, whose text is anybody's. */
function isCall(input: unknown): boolean {
  return typeof input === "object" && input !== null && !("file" in input);
}

/** As `toolsOfCalledSkills`, of a run that has had so many responses: of its own messages, from its first response. */
export function toolsOfRun(messages: readonly Message[], turns: number): readonly string[] | null {
  const responses = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  return turns === 0 ? null : toolsOfCalledSkills(messages.slice(responses.at(-turns)));
}
