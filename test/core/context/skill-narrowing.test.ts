import { expect, test } from "vitest";
import { narrowTools, toolsOfCalledSkills } from "../../../src/core/context/skill-narrowing.ts";
import { skillCatalogue } from "../../../src/core/context/skills.ts";
import type { Message } from "../../../src/core/protocol/messages.ts";
import { skillWith } from "./skill-fixture.ts";

test.each([
  { name: "everything", allowed: undefined, tools: ["read", "grep"], left: ["skill", "read", "grep"] },
  { name: "some", allowed: ["skill", "read", "bash"], tools: ["read", "grep"], left: ["skill", "read"] },
  { name: "no skills", allowed: ["read", "bash"], tools: ["read"], left: ["read"] },
  { name: "everything, by a skill that needs none", allowed: undefined, tools: [], left: ["skill"] },
])("where $name is allowed, $tools leave $left", ({ allowed, tools, left }) => {
  expect(narrowTools(allowed, tools)).toEqual(left);
});

const catalogue = skillCatalogue(
  [
    skillWith({ name: "look", tools: ["read", "grep"] }),
    skillWith({ name: "fetch", tools: ["web_fetch"] }),
    skillWith({ name: "free" }),
  ],
  [],
);

type Content = Pick<Message, "content">;

function callOf(input: object, isError = false): Content[] {
  const id = JSON.stringify(input);
  return [
    { content: [{ type: "tool_use", id, name: "skill", input }] },
    { content: [{ type: "tool_result", toolUseId: id, content: [], isError }] },
  ];
}

const cases: { name: string; messages: Content[]; tools: readonly string[] | null }[] = [
  { name: "nothing", messages: [], tools: null },
  { name: "a skill that narrows nothing", messages: callOf({ skill: "free" }), tools: null },
  { name: "a skill that narrows", messages: callOf({ skill: "Look" }), tools: ["grep", "read"] },
  { name: "a call that failed", messages: callOf({ skill: "look" }, true), tools: null },
  { name: "a skill's file", messages: callOf({ skill: "look", file: "x.md" }), tools: null },
  { name: "a call without its result yet", messages: callOf({ skill: "look" }).slice(0, 1), tools: null },
  { name: "the list", messages: callOf({ skill: "list" }), tools: null },
  {
    name: "two skills",
    messages: [...callOf({ skill: "look" }), ...callOf({ skill: "free" }), ...callOf({ skill: "fetch" })],
    tools: ["grep", "read", "web_fetch"],
  },
];

test.each(cases)("$name narrows the run to $tools", ({ messages, tools }) => {
  expect(toolsOfCalledSkills(messages, catalogue)).toEqual(tools);
});
