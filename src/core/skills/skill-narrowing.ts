import { type Message, textOf, toolUsesOf } from "../protocol/messages.ts";
import { isObject } from "../text/from-json.ts";

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
  const uses = messages.flatMap(({ content }) => toolUsesOf(content));
  // Reading a file of a skill does not count, since its text is not trusted.
  const calls = uses.filter(({ name, input }) => name === "skill" && isObject(input) && !("file" in input));
  const ids = new Set(calls.map(({ id }) => id));
  const narrowing = messages.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type !== "tool_result") return [];
      const isCalled = !block.isError && ids.has(block.toolUseId);
      const tools = block.narrowsTo ?? (isCalled ? toolsInEarlierResult(textOf(block.content)) : null);
      return tools === null ? [] : [tools];
    }),
  );
  return narrowing.length === 0 ? null : [...new Set(narrowing.flat())].sort();
}

/** Older rows name the tools only in the skill's text. */
const EARLIER = "It is done with these tools alone, others are refused: ";

function toolsInEarlierResult(text: string): readonly string[] | null {
  const [head = ""] = text.split("\n\n", 1);
  const line = head.split("\n").find((each) => each.startsWith(EARLIER));
  const names = line?.slice(EARLIER.length, -1);
  return names === "none" ? [] : (names?.split(", ") ?? null);
}

/** The same as `toolsOfCalledSkills` for a run with the given number of responses. Only its own messages count. */
export function toolsOfRun(messages: readonly Message[], turns: number): readonly string[] | null {
  const responses = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  return turns === 0 ? null : toolsOfCalledSkills(messages.slice(responses.at(-turns)));
}
