import { expect, test } from "vitest";
import { skillIndex, skillListText } from "../../../src/core/skills/skill-index.ts";
import { type SkillProblem, skillCatalogue } from "../../../src/core/skills/skills.ts";
import { arg, skillWith } from "./skill-fixture.ts";

const named = (name: string, description = "Tidies.") => skillWith({ name, description });

function catalogueOf(...names: string[]) {
  return skillCatalogue(
    names.map((name) => named(name)),
    [],
  );
}

test("the index has a line for each skill, sorted, with when to use it", () => {
  const skills = [named("zebra"), skillWith({ name: "ant", description: "Carries.", whenToUse: "When it is heavy." })];
  const lines = skillIndex(skillCatalogue(skills, [])).split("\n");
  expect(lines.slice(1)).toEqual(["- ant: Carries. When it is heavy.", "- zebra: Tidies."]);
  expect(lines[0]).toContain("grants no permission");
});

test("without skills there is no index", () => {
  expect(skillIndex(catalogueOf())).toBe("");
});

test("the index is byte-identical for any file order and any bodies", () => {
  const other = skillCatalogue([skillWith({ name: "b", description: "Tidies.", body: "Other." }), named("a")], []);
  expect(skillIndex(other)).toBe(skillIndex(catalogueOf("a", "b")));
});

test("the first of several skills with the same name wins", () => {
  const catalogue = skillCatalogue([named("tidy", "mine"), named("tidy", "theirs")], []);
  expect(catalogue.skills.map(({ description }) => description)).toEqual(["mine"]);
  expect(catalogue.find("Tidy")?.description).toBe("mine");
  expect(catalogue.find("constructor")).toBeUndefined();
});

test("a skill is also found under its plugin's prefix; a command in a folder has precedence", () => {
  const problem = { source: "x/SKILL.md", name: "broken", line: 1, reason: "is broken" };
  const catalogue = skillCatalogue([named("tidy"), named("dev-tidy")], [problem]);
  const found = ["kit:tidy", "dev:tidy", "kit:", "kit:other"].map((name) => catalogue.find(name)?.name);
  expect(found).toEqual(["tidy", "dev-tidy", undefined, undefined]);
  expect(catalogue.broken("kit:broken")).toEqual(problem);
  expect(catalogue.broken("kit:tidy")).toBeUndefined();
  expect(catalogue.broken(":")).toBeUndefined();
});

test.each([
  { count: 10, expected: /^- s0: d{479}…$/m },
  { count: 30, expected: /^- s0: d{239}…$/m },
  { count: 60, expected: /^- s0: d{119}…$/m },
  { count: 110, expected: /^- s0: d{59}…$/m },
  { count: 200, expected: /^s0, s1, / },
])("the index of $count skills with long descriptions is bounded", ({ count, expected }) => {
  const skills = Array.from({ length: count }, (_, index) => named(`s${index}`, "d".repeat(1_000)));
  const [, ...lines] = skillIndex(skillCatalogue(skills, [])).split("\n");
  expect(lines.join("\n")).toMatch(expected);
  expect(lines.join("\n").length).toBeLessThanOrEqual(8_100);
});

test("names beyond the limit are counted", () => {
  const skills = Array.from({ length: 500 }, (_, index) => named(`${"n".repeat(50)}-${index}`));
  expect(skillIndex(skillCatalogue(skills, []))).toMatch(/ … and \d+ more\. Call `skill` with "list"/);
});

test("the list states each skill's arguments and source, and the broken files", () => {
  const problems: SkillProblem[] = [
    { name: "x", source: ".claude/skills/x/SKILL.md", line: 3, reason: "description: is missing" },
  ];
  const skills = [skillWith({ args: [arg("path", true), arg("depth")] })];
  expect(
    skillListText(skillCatalogue(skills, problems)),
  ).toBe(`- tidy: Tidies files. Arguments: path (required), depth. (from this working directory)

Files that are not loaded:
.claude/skills/x/SKILL.md:3: description: is missing`);
  expect(skillListText(catalogueOf())).toBe("There are no skills.");
});
