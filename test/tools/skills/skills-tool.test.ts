import { symlinkSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { skillIndex } from "../../../src/core/skills/skill-index.ts";
import { text } from "../file-session.ts";
import { type SkillsOffice, skillsOffice } from "./skills-office.ts";

let office: SkillsOffice;

beforeEach(() => {
  office = skillsOffice();
});

/** A skill written for another agent, which uses only the public format and its folders. */
const PUBLIC_SKILL = `---
name: changelog-check
description: Checks that a change log follows the house format. Use when a CHANGELOG file was edited: before a release, or in a review.
license: Apache-2.0
compatibility: Designed for coding agents with a shell; needs awk
metadata:
  author: example-org
  version: "1.0"
allowed-tools: Bash(scripts/check.sh:*) Read
---

# Change log check

Run \`scripts/check.sh CHANGELOG.md\`, or by hand \`awk '/^## /{print $2}' CHANGELOG.md\`.

The rules are in [the reference](references/FORMAT.md).
`;

const PUBLIC_FILES = {
  "SKILL.md": PUBLIC_SKILL,
  "scripts/check.sh": "#!/bin/sh\ngrep -q '^## ' \"$1\"\n",
  "references/FORMAT.md": "# Format\n\nNewest first.\n",
  "assets/template.md": "## [Unreleased]\n",
};

test.each([
  {
    where: "the sandbox root",
    folder: "root/.claude/skills",
    files: "Files that it names are in `.claude/skills/changelog-check/`",
  },
  { where: "the home", folder: "home/extensions/skills", files: '{"skill": "changelog-check", "file": "<name>"}' },
])("a public skill in $where works without changes", async ({ folder, files }) => {
  for (const [file, content] of Object.entries(PUBLIC_FILES)) office.put(`${folder}/changelog-check/${file}`, content);
  expect(skillIndex(office.read())).toContain(
    "- changelog-check: Checks that a change log follows the house format. Use when a CHANGELOG file was edited: before",
  );
  const called = await office.call({ skill: "changelog-check", arguments: ["docs/CHANGELOG.md", "strict"] });
  expect(called.isError).toBe(false);
  expect(text(called)).toContain(files);
  expect(text(called)).toContain("`awk '/^## /{print $2}' CHANGELOG.md`");
  expect(text(called)).toContain("It asks to use: Bash(scripts/check.sh:*) Read. That is a request");
  expect(text(called)).toMatch(/\n\nArguments: docs\/CHANGELOG\.md strict$/);
  const reference = await office.call({ skill: "changelog-check", file: "references/FORMAT.md" });
  expect(reference).toEqual({
    content: [{ type: "text", text: "# Format\n\nNewest first.\n" }],
    isError: false,
    summary: "3 lines",
  });
  expect(text(await office.call({ skill: "changelog-check", file: "./scripts/check.sh" }))).toContain("grep -q");
});

test("the list contains every skill and the broken files", async () => {
  office.skill("root/.agents/skills/tidy");
  office.skill("app/extensions/skills/neat", "");
  const listed = await office.call({ skill: "list" });
  expect(listed.summary).toBe("1 skill");
  expect(text(listed)).toMatch(/^- tidy: from root\/\.agents\/skills\/tidy \(from this working directory\)$/m);
  expect(text(listed)).toMatch(/^extensions\/skills\/neat\/SKILL\.md of Deckhand:1: /m);
});

test("arguments are substituted, and missing ones are named", async () => {
  const matter = "description: d\nargs:\n  - {name: place, description: A town, required: true}\n  - days";
  office.skill("app/extensions/skills/weather", `---\n${matter}\n---\n{{place}} for {{days}} days`);
  const called = await office.call({ skill: "weather", arguments: ["days=3", "New York"] });
  expect(text(called)).toMatch(/\n\nNew York for 3 days$/);
  const without = await office.call({ skill: "weather" });
  expect(without).toMatchObject({ isError: true, summary: "arguments missing" });
  expect(text(without)).toContain("The skill weather needs place (A town).");
});

const given: { input: object; answer: RegExp }[] = [
  { input: { args: "src/" }, answer: /\n\nLook at src\/ for units\.$/ },
  { input: { args: 'src/ "two words"' }, answer: /Look at src\/ "two words" for units\.$/ },
  { input: { args: ["src/", "test/"] }, answer: /Look at src\/ test\/ for units\.$/ },
  { input: { arguments: ["src/"] }, answer: /Look at src\/ for units\.$/ },
  { input: {}, answer: /Look at {2}for units\.$/ },
];

test.each(given)("called with $input the skill's text contains the arguments", async ({ input, answer }) => {
  office.skill("root/.agents/skills/code-review", "---\ndescription: d\n---\nLook at $ARGUMENTS for units.");
  expect(text(await office.call({ skill: "code-review", ...input }))).toMatch(answer);
});

test("an argument text is split like a person's command line", async () => {
  office.skill("root/.agents/skills/weather", "---\ndescription: d\nargs: [place, days]\n---\n{{place}}: {{days}}");
  expect(text(await office.call({ skill: "weather", args: "'New York' 3" }))).toMatch(/\n\nNew York: 3$/);
  expect(text(await office.call({ skill: "weather", args: "days=3 Lyon" }))).toMatch(/\n\nLyon: 3$/);
});

test.each([
  { tools: "[read, grep]", narrowsTo: ["read", "grep"] },
  { tools: "[]", narrowsTo: [] },
  { tools: "", narrowsTo: undefined },
])("a skill with the tools $tools narrows the run to $narrowsTo", async ({ tools, narrowsTo }) => {
  office.skill("root/.agents/skills/look", `---\ndescription: d\ntools: ${tools}\n---\nLook.`);
  expect((await office.call({ skill: "look" })).narrowsTo).toEqual(narrowsTo);
});

test.each([
  { asked: "code-reviw", answer: /^There is no skill code-reviw\. Did you mean `code-review`\?$/ },
  { asked: "Code Review", answer: /^Skill `code-review`\./ },
  { asked: "something", answer: /^There is no skill something\. \{"skill": "list"\} lists them all\.$/ },
])("asked for $asked the tool returns $answer", async ({ asked, answer }) => {
  office.skill("app/extensions/skills/code-review");
  expect(text(await office.call({ skill: asked }))).toMatch(answer);
});

const escapes: { name: string; file: string }[] = [
  { name: "its parent", file: "../neat/SKILL.md" },
  { name: "far above", file: "../../../../../../etc/passwd" },
  { name: "a detour", file: "references/../../neat/SKILL.md" },
  { name: "an absolute path", file: "/etc/passwd" },
  { name: "a link out of its folder", file: "link-to-secret" },
  { name: "a link to another skill", file: "link-to-neat/SKILL.md" },
  { name: "the folder itself", file: "." },
  { name: "git's files", file: ".git/config" },
];

test.each(
  ["root/.agents/skills", "home/extensions/skills", "app/extensions/skills"].flatMap((folder) =>
    escapes.map((escape) => ({ folder, ...escape })),
  ),
)("a skill in $folder cannot read $name", async ({ folder, file }) => {
  office.skill(`${folder}/neat`, "---\ndescription: d\n---\nSECRET");
  office.skill(`${folder}/tidy`);
  office.put(`${folder}/tidy/references/a.md`, "a");
  office.put(`${folder}/tidy/.git/config`, "SECRET");
  const own = path.join(office.directory, folder, "tidy");
  symlinkSync(office.put("secret.txt", "SECRET"), path.join(own, "link-to-secret"));
  symlinkSync("../neat", path.join(own, "link-to-neat"));
  const result = await office.call({ skill: "tidy", file });
  expect(result.isError).toBe(true);
  expect(text(result)).not.toContain("SECRET");
  expect(text(result)).not.toContain(office.directory);
  expect(text(result)).toMatch(/The skill's files: SKILL\.md, references\/a\.md\.$/);
});

test.each(["root/.agents/skills", "home/extensions/skills"])(
  "a file that looks like a secret beside a SKILL.md in %s is not among the skill's files",
  async (folder) => {
    office.skill(`${folder}/tidy`);
    office.put(`${folder}/tidy/.env`, "DB_PASSWORD=hunter2\n");
    symlinkSync(".env", path.join(office.directory, folder, "tidy/notes.md"));
    for (const file of [".env", "notes.md"]) {
      expect(text(await office.call({ skill: "tidy", file }))).toMatch(/\.env looks like a file of environment/u);
    }
  },
);

test("a missing or binary file is an error that lists the existing files", async () => {
  office.skill("home/extensions/skills/tidy");
  office.put("home/extensions/skills/tidy/picture.bin", "a\0b");
  expect(text(await office.call({ skill: "tidy", file: "x.md" }))).toBe(
    "x.md does not exist. The skill's files: SKILL.md, picture.bin.",
  );
  expect(text(await office.call({ skill: "tidy", file: "picture.bin" }))).toMatch(/^picture\.bin is not a text file\./);
});

test("a long file is returned in parts", async () => {
  office.skill("app/extensions/skills/tidy");
  const lines = Array.from({ length: 1_500 }, (_, index) => `line ${index + 1}\n`);
  office.put("app/extensions/skills/tidy/long.md", lines.join(""));
  const first = await office.call({ skill: "tidy", file: "long.md" });
  expect(text(first)).toMatch(/\nline 1000\n\n\[Line 1000 of 1500; continue with offset 1001\.\]$/);
  const second = await office.call({ skill: "tidy", file: "long.md", offset: 1_001 });
  expect(text(second)).toMatch(/^line 1001\n[^[]*line 1500\n$/);
  expect(text(await office.call({ skill: "tidy", file: "long.md", offset: 9_999 }))).toBe("long.md has 1500 lines.");
});

test("a skill for people only is neither listed nor callable by models, but its files are readable", async () => {
  office.skill("home/extensions/skills/deploy", "---\ndescription: d\ndisable-model-invocation: true\n---\nSECRET");
  office.put("home/extensions/skills/deploy/steps.md", "One.");
  expect(skillIndex(office.read())).toBe("");
  expect(text(await office.call({ skill: "list" }))).toBe("There are no skills.");
  const called = await office.call({ skill: "deploy" });
  expect(called.isError).toBe(true);
  expect(text(called)).toBe(
    "Only people can call the skill deploy, with /skill deploy. Say so, and do not do its work another way.",
  );
  expect(text(await office.call({ skill: "deplo" }))).not.toContain("deploy");
  expect(text(await office.call({ skill: "deploy", file: "steps.md" }))).toBe("One.");
});

test.each([
  { has: "no front matter", text: "<!-- ours -->\n\n# Tidies the store\n\nBegin at the door.\n" },
  { has: "no description", text: "---\nname: tidy\n---\n\nTidies the store\n\nBegin at the door.\n" },
])("a skill that has $has is described by its first line, and models can call it", async ({ text: written }) => {
  office.skill("root/.agents/skills/tidy", written);
  expect(skillIndex(office.read())).toContain("tidy: Tidies the store");
  expect(text(await office.call({ skill: "tidy" }))).toContain("Begin at the door.");
});

test("calling a broken skill reports what is broken, unless a namesake takes its place", async () => {
  office.skill("root/.agents/skills/tidy", "---\nname: tidy\n");
  expect(text(await office.call({ skill: "Tidy" }))).toBe(
    "The skill tidy is broken: .agents/skills/tidy/SKILL.md:1: the front matter is not closed by a line of three dashes",
  );
  office.skill("app/extensions/skills/tidy");
  expect((await office.call({ skill: "tidy" })).isError).toBe(false);
});

test.each(["root/.agents/skills", "home/extensions/skills"])(
  "in %s the rest of a long body is at the named offset",
  async (folder) => {
    const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at}`);
    office.skill(`${folder}/long`, `---\ndescription: d\n---\n\n${lines.join("\n")}\n`);
    const cut = text(await office.call({ skill: "long" }));
    const [, last, offset] = /\nline (\d+)\n\[Cut here: .*"offset":(\d+)\}/.exec(cut) ?? [];
    const rest = text(await office.call({ skill: "long", file: "SKILL.md", offset: Number(offset) }));
    expect(rest).toMatch(new RegExp(`^line ${Number(last) + 1}\n`));
  },
);
