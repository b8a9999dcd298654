import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { skillIndex } from "../../../src/core/skills/skill-index.ts";
import { problemText } from "../../../src/core/skills/skills.ts";
import { isInstructionFile } from "../../../src/tools/instructions/instruction-files.ts";
import { readSkillFile, skillFiles } from "../../../src/tools/skills/skill-file.ts";
import { type SkillsOffice, skillsOffice } from "./skills-office.ts";

let office: SkillsOffice;

const NO_FILE = "is not a regular file, or a symbolic link in its path points outside its directory";

beforeEach(() => {
  office = skillsOffice();
});

const descriptions = () => office.read().skills.map(({ description }) => description);
const names = () => office.read().skills.map(({ name }) => name);
const problems = () => office.read().problems.map(problemText);

const PLACES = [
  "root/extensions/skills",
  "root/.agents/skills",
  "root/.claude/skills",
  "root/.github/skills",
  "root/.cursor/skills",
  "root/.codex/skills",
  "root/.opencode/skills",
  "root/.gemini/skills",
  "home/extensions/skills",
  "app/extensions/skills",
];

test.each(PLACES.map((place, index) => ({ place, later: PLACES.slice(index) })))(
  "a skill in $place has priority over those of its name in later places",
  ({ place, later }) => {
    for (const each of later) office.skill(`${each}/tidy`);
    expect(descriptions()).toEqual([`from ${place}/tidy`]);
  },
);

test("skills of all places are combined, in order of name", () => {
  PLACES.forEach((place, index) => office.skill(`${place}/skill-${19 - index}`));
  expect(names()).toEqual(PLACES.map((_, index) => `skill-${index + 10}`));
  expect(office.read().find("skill-11")).toMatchObject({ origin: "home" });
  expect(office.read().find("skill-17")).toMatchObject({ origin: "project", folder: ".claude/skills/skill-17" });
  // Tools must not be able to write skills without an approval.
  const written = PLACES.filter((place) => place.startsWith("root/")).map((place) => place.slice("root/".length));
  expect(written.filter((place) => !isInstructionFile(`${place}/x/SKILL.md`))).toEqual([]);
});

const COMMANDS = [
  "root/.claude/commands",
  "root/.cursor/commands",
  "root/.opencode/commands",
  "root/.opencode/command",
  "home/extensions/commands",
];

test.each(COMMANDS)("a command in %s is a skill for people to call", async (place) => {
  office.put(`${place}/fix.md`, "# Fix an issue\n\nLook at $ARGUMENTS.");
  office.put(
    `${place}/dev/review.md`,
    "---\nname: other\nallowed-tools: Bash(git:*)\nmodel: sonnet\nargument-hint: [branch] [base]\n---\nCompare $1 with $2.",
  );
  office.put(`${place}/README.md`, "# All of them");
  const { skills } = office.read();
  expect(skills).toMatchObject([
    {
      name: "dev-review",
      description: "Compare $1 with $2.",
      argumentHint: "[branch] [base]",
      allowedTools: "Bash(git:*)",
      ignoredNotes: ["model"],
    },
    {
      name: "fix",
      description: "Fix an issue",
      isForPeopleOnly: true,
      folder: "",
      body: "# Fix an issue\n\nLook at $ARGUMENTS.",
    },
  ]);
  expect([office.read().find("dev:review")?.name, problems()]).toEqual(["dev-review", []]);
  // The files beside a command are other commands, not its own files.
  const { content } = await office.call({ skill: "fix", file: "dev/review.md" });
  expect(textOf(content)).toContain("has no files besides its text");
});

test("a skill has priority over a command of its name, and a long command names its continuation", () => {
  office.put("root/.claude/commands/tidy.md", "Tidy.");
  office.skill("root/.claude/skills/tidy");
  office.put("root/.claude/commands/long.md", `Long.\n${"word word\n".repeat(5_000)}`);
  expect(descriptions()).toEqual(["Long.", "from root/.claude/skills/tidy"]);
  // 40,000 characters end within line 4,001.
  expect(office.read().find("long")?.body).toMatch(/\{"path":"\.claude\/commands\/long\.md","offset":4001\}/u);
});

test("without any directory there are no skills, and none is created", () => {
  expect(office.read()).toMatchObject({ skills: [], problems: [] });
  expect(() => readFileSync(path.join(office.directory, "home/extensions"))).toThrow(/ENOENT/);
});

test("entries that are not folders with a SKILL.md are ignored", () => {
  office.put("root/.agents/skills/README.md", "Skills");
  office.put("root/.agents/skills/empty/notes.md", "x");
  mkdirSync(path.join(office.root, ".agents/skills/folder/SKILL.md"), { recursive: true });
  office.skill("root/.agents/skills/good");
  expect(names()).toEqual(["good"]);
  expect(problems()).toEqual([`.agents/skills/folder/SKILL.md:1: ${NO_FILE}`]);
});

test("skills in subfolders of a collection are found; folders within a skill belong to it", () => {
  office.skill("root/.agents/skills/team/deploy");
  office.skill("root/.agents/skills/checkout/skills/tidy");
  office.skill("root/.agents/skills/checkout/skills/tidy/assets/sample");
  office.skill("root/.agents/skills/checkout/node_modules/other");
  office.skill("root/.agents/skills/checkout/plugins/p/skills/deep");
  office.skill("root/.agents/skills/checkout/plugins/p/skills/more/deeper");
  office.skill("root/.agents/skills/checkout/.git/hidden");
  office.put("root/.agents/skills/small/skill.md", "---\ndescription: d\n---\nDo it.");
  expect(office.read().skills).toMatchObject([
    { name: "deep", folder: ".agents/skills/checkout/plugins/p/skills/deep" },
    { name: "deploy", folder: ".agents/skills/team/deploy", source: ".agents/skills/team/deploy/SKILL.md" },
    { name: "tidy", folder: ".agents/skills/checkout/skills/tidy" },
  ]);
  expect(problems()).toEqual([".agents/skills/small/skill.md:1: is not read: rename it to SKILL.md, in capitals"]);
  expect(office.read().broken("small")).toBeDefined();
});

test("the search through very many folders is limited, so that requests are not delayed", () => {
  for (let index = 0; index < 2_000; index += 1)
    mkdirSync(path.join(office.root, `.agents/skills/much/${index}`), { recursive: true });
  office.skill("root/.agents/skills/early");
  office.skill("root/.agents/skills/much/late");
  office.skill("root/.claude/skills/other");
  expect(names()).toEqual(["early", "other"]);
});

test("a broken file is reported with its line, the others load, and a namesake takes its place", () => {
  office.skill("root/.agents/skills/tidy", "---\nname: tidy\ndescription: [\n---\nx");
  office.skill("root/.claude/skills/blank", "");
  office.put("root/.claude/skills/binary/SKILL.md", "a\0b");
  office.put("root/.claude/skills/large/SKILL.md", `---\ndescription: d\n---\n${"x".repeat(300_000)}`);
  office.skill("app/extensions/skills/tidy");
  expect(descriptions()).toEqual(["from app/extensions/skills/tidy"]);
  expect(problems()).toEqual([
    expect.stringMatching(/^\.agents\/skills\/tidy\/SKILL\.md:4: /),
    ".claude/skills/binary/SKILL.md:1: is not a text file",
    expect.stringMatching(/^\.claude\/skills\/blank\/SKILL\.md:1: the file must begin/),
    ".claude/skills/large/SKILL.md:1: is larger than 262144 bytes; move parts of it into files beside it, and say there when to read them",
  ]);
});

test("additions, edits, repairs and removals take effect at once", () => {
  const folder = "root/extensions/skills/tidy";
  expect(names()).toEqual([]);
  const file = office.skill(folder, "---\ndescription: [\n---\nx");
  expect(problems()).toHaveLength(1);
  office.skill(folder, "---\ndescription: one\n---\nx");
  expect([descriptions(), problems()]).toEqual([["one"], []]);
  writeFileSync(file, "---\ndescription: two\n---\nx");
  utimesSync(file, 1, 1);
  expect(descriptions()).toEqual(["two"]);
  renameSync(path.dirname(file), path.join(office.root, "extensions/skills/neat"));
  expect(names()).toEqual(["neat"]);
  rmSync(path.join(office.root, "extensions"), { recursive: true });
  expect(names()).toEqual([]);
});

test("unchanged files are not parsed again, and the index stays byte-identical", () => {
  office.skill("root/.agents/skills/tidy");
  office.skill("app/extensions/skills/neat");
  const [first, second] = [office.read(), office.read()];
  expect(second.skills[1]).toBe(first.skills[1]);
  expect(skillIndex(second)).toBe(skillIndex(first));
});

test("a link within the sandbox root is followed, one out of it is reported as a problem", () => {
  office.skill("root/shared/tidy");
  mkdirSync(path.join(office.root, ".claude"));
  symlinkSync("../shared", path.join(office.root, ".claude/skills"));
  const outside = path.dirname(office.skill("outside/secret"));
  symlinkSync(outside, path.join(office.root, "shared/secret"));
  office.put("root/shared/file/notes.md", "x");
  symlinkSync(path.join(outside, "SKILL.md"), path.join(office.root, "shared/file/SKILL.md"));
  expect(office.read().skills).toMatchObject([{ name: "tidy", folder: "shared/tidy" }]);
  expect(problems()).toEqual([
    `.claude/skills/file/SKILL.md:1: ${NO_FILE}`,
    `.claude/skills/secret/SKILL.md:1: ${NO_FILE}`,
  ]);
});

test("skills are not read from a directory that links out of the sandbox root", () => {
  office.skill("outside/skills/secret");
  mkdirSync(path.join(office.root, ".agents"));
  symlinkSync(path.join(office.directory, "outside/skills"), path.join(office.root, ".agents/skills"));
  expect(office.read()).toMatchObject({ skills: [], problems: [] });
});

test("a named pipe in place of a SKILL.md does not block", () => {
  office.skill("root/.agents/skills/tidy");
  const file = office.skill("root/.agents/skills/device");
  rmSync(file);
  execFileSync("mkfifo", [file]);
  expect(names()).toEqual(["tidy"]);
});

test("of a directory with very many folders only the first are read, with a notice", () => {
  for (let index = 0; index < 205; index++) office.skill(`root/.agents/skills/s${String(index).padStart(3, "0")}`);
  expect(names()).toHaveLength(200);
  expect(problems()).toEqual([
    ".agents/skills:1: holds 205 skills, of which only the first 200 are read, up to s199; remove those that nobody needs",
  ]);
});

test("a directory of skills that cannot be read is reported", () => {
  mkdirSync(path.join(office.directory, "home/extensions"), { recursive: true });
  writeFileSync(path.join(office.directory, "home/extensions/skills"), "");
  expect(problems()).toEqual(["extensions/skills of the home is not a directory that this user may read (ENOTDIR)"]);
});

test("a skill whose folder cannot be listed has no files, and works otherwise", () => {
  office.skill("root/.agents/skills/tidy");
  const skill = office.read().find("tidy") ?? expect.fail("there is no skill");
  rmSync(path.join(office.root, skill.folder), { recursive: true });
  expect(skillFiles(skill, office.root)).toEqual([]);
  const read = () => readSkillFile({ skill, sandboxRoot: office.root, file: "more.md", offset: 1 });
  expect(read).toThrow("more.md does not exist. The skill's files cannot be listed.");
});
