import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDirectory } from "../support/temp-directory.ts";
import { doctor } from "./run-doctor.ts";

test("a configured agent that does not exist is reported", async () => {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, "deckhand.config.json"), JSON.stringify({ agentDefinition: "nobody" }));
  const { lines, failed } = await doctor({ cwd });
  expect(lines).toContainEqual(
    expect.stringMatching(/^✗ agentDefinition: there is no agent "nobody"\. Known agents: /u),
  );
  expect(failed).toBe(true);
});

test("a broken agent or skill file is reported with its line, and so are an agent's ineffective settings", async () => {
  const cwd = tempDirectory();
  const file = path.join(cwd, "data/extensions/agents/odd.md");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "---\ndescription: odd\nacess: full\n---\nYou are odd.");
  writeFileSync(path.join(file, "../scout.md"), "---\ndescription: A scout\nmodel: opus\n---\nYou look.");
  const skill = path.join(cwd, "data/extensions/skills/tidy/SKILL.md");
  mkdirSync(path.dirname(skill), { recursive: true });
  writeFileSync(skill, "---\nname: list\n---\nTidy up.");
  const { lines, failed } = await doctor({ cwd });
  expect(lines).toContainEqual(expect.stringMatching(/^⚠ .*scout\.md:3: model: opus names no provider/u));
  expect(lines).toContain(
    "✗ skills: extensions/skills/tidy/SKILL.md of the home:2: name: list is reserved for something else",
  );
  expect(lines).toContain(`✗ ${file}:3: acess: is not a known key. Did you mean "access"?`);
  expect(failed).toBe(true);
});

test("invalid jobs of the jobs file are reported, and valid ones are counted", async () => {
  const cwd = tempDirectory();
  const skill = path.join(cwd, "data/extensions/skills/forecast/SKILL.md");
  mkdirSync(path.dirname(skill), { recursive: true });
  const args = "args:\n  - name: place\n    description: A town\n    required: true\n";
  writeFileSync(skill, `---\nname: forecast\ndescription: The weather.\n${args}---\nTell it.`);
  const file = path.join(cwd, "data/jobs.json");
  const job = { name: "Weather", channel: "slack:T1/C1", cron: "@daily", prompt: "Tell us.", skill: "forecast Lyon" };
  writeFileSync(file, JSON.stringify([job]));
  expect(await doctor({ cwd })).toMatchObject({
    failed: false,
    lines: expect.arrayContaining([`✓ ${file}: 1 job`, `⚠ ${file}: entry 1: Slack is off, so its runs wait`]),
  });
  expect(existsSync(path.join(cwd, "data/sandbox"))).toBe(false);
  writeFileSync(file, JSON.stringify([job, { ...job, skill: "forecast" }]));
  const { lines, failed } = await doctor({ cwd });
  expect(lines).toContain(
    `✗ ${file}: entry 2: The skill **forecast** needs **place** (A town): \`--skill "forecast <place>"\`.`,
  );
  expect(failed).toBe(true);
});

test("an extension that cannot be loaded is reported", async () => {
  const cwd = tempDirectory();
  const folder = path.join(cwd, "data/extensions/tools/slip");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "tool.json"), "{");
  const { lines, failed } = await doctor({ cwd });
  expect(lines).toContain(`✗ ${folder}: tool.json is not valid JSON.`);
  expect(failed).toBe(true);
});
