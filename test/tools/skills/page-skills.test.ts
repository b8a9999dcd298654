import { expect, test } from "vitest";
import { skillsOffice } from "./skills-office.ts";

/** Skills that are set on the page, beside those of files. */

const saying = (words: string) => `---\ndescription: ${words}\n---\nDo as ${words}.\n`;

test("a skill from the page replaces the shipped one, and keeps the files beside it", async () => {
  const at = skillsOffice();
  at.skill("app/extensions/skills/review", saying("shipped"));
  at.put("app/extensions/skills/review/list.md", "the list\n");
  at.definitions.set(new Map([["review", saying("set")]]));
  expect(at.read().find("review")).toMatchObject({ description: "set", origin: "page", replaces: "application" });
  const called = JSON.stringify(await at.call({ skill: "review" }));
  expect(called).toContain("Do as set.");
  expect(called).toContain("Files that it names");
  expect(JSON.stringify(await at.call({ skill: "review", file: "list.md" }))).toContain("the list");
  // The text in the folder is not in force.
  for (const file of ["SKILL.md", "./skill.md", "x/../SKILL.md"])
    expect(await at.call({ skill: "review", file })).toMatchObject({ isError: true });

  at.definitions.set(new Map());
  expect(at.read().find("review")).toMatchObject({ description: "shipped", origin: "application" });
});

test("skills from the operator's and the directory's files have priority over the page", () => {
  const at = skillsOffice();
  at.skill("app/extensions/skills/review", saying("shipped"));
  at.skill("home/extensions/skills/review", saying("home"));
  at.skill("root/.agents/skills/tidy", saying("checkout"));
  at.definitions.set(
    new Map([
      ["review", saying("set")],
      ["tidy", saying("set")],
      ["fresh", saying("set")],
    ]),
  );
  const found = at.read().skills.map(({ name, description }) => [name, description]);
  expect(found).toEqual([
    ["fresh", "set"],
    ["review", "home"],
    ["tidy", "checkout"],
  ]);
  const shown = at.definitions.all().map(({ name, own, shipped }) => [name, own?.text ?? null, shipped]);
  expect(shown).toEqual([
    ["fresh", null, null],
    ["review", saying("home"), saying("shipped")],
    ["tidy", null, null],
  ]);
});

test("a skill created on the page has no files, and says so", async () => {
  const at = skillsOffice();
  at.definitions.set(new Map([["fresh", saying("set")]]));
  expect(JSON.stringify(await at.call({ skill: "fresh" }))).not.toContain("Files that it names");
  const asked = await at.call({ skill: "fresh", file: "notes.md" });
  expect(asked).toMatchObject({ isError: true });
  expect(JSON.stringify(asked)).toContain("has no files besides its text");
});

test.each([
  ["no front matter", "Do it.", 1, /front matter/u],
  ["another name", `---\ndescription: x\nname: other\n---\nDo it.`, 3, /this skill is called fresh/u],
  ["no text", "---\ndescription: x\n---\n", 1, /nothing follows/u],
  ["a text that would be cut", `---\ndescription: x\n---\n${"long ".repeat(10_000)}`, 1, /longer than 40000/u],
  ["a field that is none", "---\ndescription: x\nscope: ever\n---\nDo it.", null, null],
  ["too many arguments", `---\ndescription: x\nargs: [${"a, ".repeat(30)}]\n---\nDo it.`, 3, /args/u],
] as const)("errors are reported with their line: %s", (...[_what, text, line, message]) => {
  const { problems, notes } = skillsOffice().definitions.check("fresh", text);
  if (line === null) expect([problems, notes.length]).toEqual([[], 1]);
  else expect(problems).toEqual([{ line, message: expect.stringMatching(message) }]);
});
