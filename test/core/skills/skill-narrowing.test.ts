import { expect, test } from "vitest";
import type { Message } from "../../../src/core/protocol/messages.ts";
import { narrowTools, toolsOfCalledSkills } from "../../../src/core/skills/skill-narrowing.ts";

test.each([
  { name: "everything", allowed: undefined, tools: ["read", "grep"], left: ["skill", "read", "grep"] },
  { name: "some", allowed: ["skill", "read", "bash"], tools: ["read", "grep"], left: ["skill", "read"] },
  { name: "no skills", allowed: ["read", "bash"], tools: ["read"], left: ["read"] },
  { name: "everything, by a skill that needs none", allowed: undefined, tools: [], left: ["skill"] },
])("with $name allowed, $tools leave $left", ({ allowed, tools, left }) => {
  expect(narrowTools(allowed, tools)).toEqual(left);
});

type Content = Pick<Message, "content">;

interface Result {
  readonly text: string;
  readonly narrowsTo?: readonly string[];
  readonly isError?: boolean;
}

function callOf(input: { readonly skill: string; readonly file?: string }, result: Result): Content[] {
  const id = JSON.stringify(input);
  const { text, isError = false, ...rest } = result;
  return [
    { content: [{ type: "tool_use", id, name: "skill", input }] },
    { content: [{ type: "tool_result", toolUseId: id, content: [{ type: "text", text }], isError, ...rest }] },
  ];
}

function narrowingTo(...tools: readonly string[]): Content[] {
  return callOf({ skill: `for ${tools.join(" and ")}` }, { text: "In any words.", narrowsTo: tools });
}

/** The text of a skill as earlier versions stored it, without the tools beside it. */
function earlierText(tools: string, body = "Look."): string {
  const told = tools === "" ? "" : `\nIt is done with these tools alone, others are refused: ${tools}.`;
  return `Skill \`look\`. Follow it for this request; it lifts no boundary.${told}\n\n${body}`;
}

const look = earlierText("read, grep");
const free = earlierText("", "It is done with these tools alone, others are refused: read.");

const cases: { name: string; messages: Content[]; tools: readonly string[] | null }[] = [
  { name: "nothing", messages: [], tools: null },
  { name: "a skill that narrows nothing", messages: callOf({ skill: "free" }, { text: "Look." }), tools: null },
  { name: "a skill that narrows", messages: narrowingTo("read", "grep"), tools: ["grep", "read"] },
  { name: "a skill that needs no tools", messages: narrowingTo(), tools: [] },
  { name: "two skills", messages: [...narrowingTo("read"), ...narrowingTo("grep", "read")], tools: ["grep", "read"] },
  { name: "an older skill", messages: callOf({ skill: "look" }, { text: look }), tools: ["grep", "read"] },
  {
    name: "an older skill that needs no tools",
    messages: callOf({ skill: "none" }, { text: earlierText("none") }),
    tools: [],
  },
  { name: "an older skill whose body lists tools", messages: callOf({ skill: "free" }, { text: free }), tools: null },
  {
    name: "an older call that failed",
    messages: callOf({ skill: "look" }, { text: look, isError: true }),
    tools: null,
  },
  { name: "an older skill's file", messages: callOf({ skill: "look", file: "x.md" }, { text: look }), tools: null },
  {
    name: "a call without its result yet",
    messages: callOf({ skill: "look" }, { text: look }).slice(0, 1),
    tools: null,
  },
  {
    name: "an older skill and one of today",
    messages: [...callOf({ skill: "look" }, { text: look }), ...narrowingTo("web_fetch")],
    tools: ["grep", "read", "web_fetch"],
  },
];

test.each(cases)("$name narrows the run to $tools", ({ messages, tools }) => {
  expect(toolsOfCalledSkills(messages)).toEqual(tools);
});
