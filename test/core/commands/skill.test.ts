import { expect, test } from "vitest";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { skillCatalogue } from "../../../src/core/skills/skills.ts";
import { intakeOptions, mention, privateText } from "../inbound/intake-fixture.ts";
import { skillWith } from "../skills/skill-fixture.ts";

test("/skill lists broken files first, then each skill in brief", async () => {
  const { options } = await intakeOptions();
  const problem = { source: ".agents/skills/odd/SKILL.md", name: "odd", line: 2, reason: "it is odd" };
  const skill = skillWith({ description: `Tidies files. ${"TRIGGER when: asked. ".repeat(40)}` });
  const receive = createIntake({ ...options, skillsOf: () => Promise.resolve(skillCatalogue([skill], [problem])) });
  const [first = "", second = "", ...others] = privateText(await receive(mention("/skill"))).split("\n");
  expect(first).toBe("⚠ .agents/skills/odd/SKILL.md:2: it is odd");
  expect(second).toMatch(/^\*\*tidy\*\* · Tidies files\. TRIGGER .{150,200}…$/u);
  expect(others).toEqual([]);
});
