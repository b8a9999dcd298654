import path from "node:path";
import { expect, test } from "vitest";
import { skillIndex } from "../../../src/core/skills/skill-index.ts";
import { renderSkill } from "../../../src/core/skills/skill-render.ts";
import { text } from "../file-session.ts";
import { skillsOffice } from "./skills-office.ts";

const APPLICATION = path.resolve(import.meta.dirname, "../../..");

const SHIPPED = [
  "code-review",
  "css-refactor-advisor",
  "current-weather",
  "designer",
  "developer",
  "front-component-generator",
  "incident-report",
  "refactor",
  "release-notes",
  "weather-forecast",
];

test("all shipped skills load under their folders' names", () => {
  const { skills, problems } = skillsOffice(APPLICATION).read();
  expect(problems).toEqual([]);
  expect(skills.map(({ name }) => name)).toEqual(SHIPPED);
  expect(skills.map(({ folder }) => path.basename(folder))).toEqual(SHIPPED);
});

test("skills that shape a whole session are marked as such", () => {
  const { skills } = skillsOffice(APPLICATION).read();
  const names = skills.filter(({ scope }) => scope === "session").map(({ name }) => name);
  expect(names).toEqual(["designer", "developer", "refactor"]);
});

test("the designer skill covers architecture, not only visual design", async () => {
  const office = skillsOffice(APPLICATION);
  expect(office.read().find("designer")?.description).toMatch(/\barchitecture\b/);
  const called = text(await office.call({ skill: "designer" }));
  for (const part of ["responsible for", "data flows", "boundaries", "fails"]) expect(called).toContain(part);
});

test("the index of shipped skills is short", () => {
  expect(skillIndex(skillsOffice(APPLICATION).read()).length).toBeLessThan(4_000);
});

test.each(SHIPPED)("%s fills in its arguments, and the files that it refers to exist", async (name) => {
  const office = skillsOffice(APPLICATION);
  const skill = office.read().find(name);
  const values = skill?.args.map((arg) => `${arg.name}=VALUE`) ?? [];
  const called = text(await office.call({ skill: name, arguments: values }));
  expect(called).not.toMatch(/\{\{/);
  expect(called.match(/VALUE/g)?.length ?? 0).toBe(values.length);
  const files = [...(skill?.body ?? "").matchAll(/`(references\/[\w.-]+)`/g)].map(([, file]) => file ?? "");
  for (const file of files) expect((await office.call({ skill: name, file })).isError, file).toBe(false);
});

test("the weather skill requires a place", () => {
  const office = skillsOffice(APPLICATION);
  const asked = ["current-weather", "weather-forecast"].flatMap((name) => office.read().find(name) ?? []);
  const missing = asked.map((skill) => renderSkill(skill, { values: [], raw: "" }));
  expect(missing).toMatchObject([
    { type: "missing", args: [{ name: "place" }] },
    { type: "missing", args: [{ name: "place" }] },
  ]);
});

test("the project's own copy of a shipped skill has priority", async () => {
  const office = skillsOffice(APPLICATION);
  office.skill("root/.agents/skills/code-review", "---\ndescription: Ours.\n---\nOur own review of $ARGUMENTS.");
  expect(skillIndex(office.read())).toContain("- code-review: Ours.\n");
  expect(text(await office.call({ skill: "code-review", arguments: ["src/"] }))).toMatch(
    /\n\nOur own review of src\/\.$/,
  );
});
