import { type Message, textOf, toolUsesOf } from "../protocol/messages.ts";
import { toolsInRenderedSkill } from "./skill-render.ts";

/**
 * The tools that remain when skills narrow the run to `tools`. `allowed` is the previous limit, undefined for none, and
 * is never exceeded. `skill` stays available, so that a skill's files can be read.
 */
export function narrowTools(allowed: readonly string[] | undefined, tools: readonly string[]): readonly string[] {
  return [...new Set(["skill", ...tools])].filter((name) => allowed === undefined || allowed.includes(name));
}

/**
 * The tools that the skills called in these messages narrow the run to: all that any of them names. Null if none
 * narrows it. The stored results count, so changing or deleting a SKILL.md afterwards frees nothing.
 */
export function toolsOfCalledSkills(messages: readonly Pick<Message, "content">[]): readonly string[] | null {
  const calls = messages
    .flatMap(({ content }) => toolUsesOf(content))
    .filter(({ name, input }) => name === "skill" && isCall(input));
  const ids = new Set(calls.map(({ id }) => id));
  const narrowing = messages.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type !== "tool_result" || block.isError || !ids.has(block.toolUseId)) return [];
      const tools = toolsInRenderedSkill(textOf(block.content));
      return tools === null ? [] : [tools];
    }),
  );
  return narrowing.length === 0 ? null : [...new Set(narrowing.flat())].sort();
}

/** Whether the input calls a skill. Reading a file of a skill does not count, since its text is not trusted. */
function isCall(input: unknown): boolean {
  return typeof input === "object" && input !== null && !("file" in input);
}

/** The same as `toolsOfCalledSkills` for a run with the given number of responses. Only its own messages count. */
export function toolsOfRun(messages: readonly Message[], turns: number): readonly string[] | null {
  const responses = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  return turns === 0 ? null : toolsOfCalledSkills(messages.slice(responses.at(-turns)));
}
