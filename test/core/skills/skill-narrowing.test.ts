import { expect, test } from "vitest";
import type { Message } from "../../../src/core/protocol/messages.ts";
import { narrowTools, toolsOfCalledSkills } from "../../../src/core/skills/skill-narrowing.ts";
import { renderSkill } from "../../../src/core/skills/skill-render.ts";
import type { Skill } from "../../../src/core/skills/skills.ts";
import { skillWith } from "./skill-fixture.ts";

test.each([
  { name: "everything", allowed: undefined, tools: ["read", "grep"], left: ["skill", "read", "grep"] },
  { name: "some", allowed: ["skill", "read", "bash"], tools: ["read", "grep"], left: ["skill", "read"] },
  { name: "no skills", allowed: ["read", "bash"], tools: ["read"], left: ["read"] },
  { name: "everything, by a skill that needs none", allowed: undefined, tools: [], left: ["skill"] },
])("with $name allowed, $tools leave $left", ({ allowed, tools, left }) => {
  expect(narrowTools(allowed, tools)).toEqual(left);
});

const skills: Readonly<Record<string, Skill>> = {
  look: skillWith({ name: "look", tools: ["read", "grep"] }),
  fetch: skillWith({ name: "fetch", tools: ["web_fetch"] }),
  none: skillWith({ name: "none", tools: [] }),
  free: skillWith({ name: "free", body: "It is done with these tools alone, others are refused: read." }),
};

function textOfSkill(name: string): string {
  const skill = skills[name];
  const rendered = skill === undefined ? null : renderSkill(skill, { values: [], raw: "" });
  return rendered?.type === "ready" ? rendered.text : "";
}

type Content = Pick<Message, "content">;

function callOf(input: { readonly skill: string; readonly file?: string }, isError = false): Content[] {
  const id = JSON.stringify(input);
  const text = textOfSkill(input.skill);
  return [
    { content: [{ type: "tool_use", id, name: "skill", input }] },
    { content: [{ type: "tool_result", toolUseId: id, content: [{ type: "text", text }], isError }] },
  ];
}

const cases: { name: string; messages: Content[]; tools: readonly string[] | null }[] = [
  { name: "nothing", messages: [], tools: null },
  { name: "a skill that narrows nothing", messages: callOf({ skill: "free" }), tools: null },
  { name: "a skill that narrows", messages: callOf({ skill: "look" }), tools: ["grep", "read"] },
  { name: "a skill that needs no tools", messages: callOf({ skill: "none" }), tools: [] },
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
  expect(toolsOfCalledSkills(messages)).toEqual(tools);
});
