import { expect, test } from "vitest";
import type { Skill } from "../../../src/core/skills/skills.ts";
import { type ParsedSkill, parseSkill } from "../../../src/tools/skills/skill-parse.ts";

function parse(text: string, folderName = "tidy"): ParsedSkill {
  const folder = `.agents/skills/${folderName}`;
  return parseSkill({ text, folderName, origin: "project", folder, source: `${folder}/SKILL.md` });
}

function skillOf(text: string, folderName?: string): Skill {
  const parsed = parse(text, folderName);
  if (parsed.type === "problem") throw new Error(`${parsed.problem.line}: ${parsed.problem.reason}`);
  return parsed.skill;
}

function problemOf(text: string): { line: number | null; reason: string } {
  const parsed = parse(text);
  if (parsed.type === "skill") throw new Error("the file is a skill");
  return { line: parsed.problem.line, reason: parsed.problem.reason };
}

const file = (matter: string, body = "Do it.") => `---\n${matter}\n---\n${body}\n`;

test("every field of agentskills.io and of ours is read", () => {
  const matter = `name: pdf-tools
description: Fills in PDF forms.
license: Apache-2.0
compatibility: Needs git and jq
metadata:
  author: example-org
  version: 1.5
  released: 2026-01-02
allowed-tools: Bash(git add:*) Read
when_to_use: When someone has a PDF.
tools: [read, grep]
args:
  - name: form
    description: The form
    required: true
  - pages
scope: session`;
  expect(skillOf(file(matter))).toEqual({
    name: "pdf-tools",
    description: "Fills in PDF forms.",
    compatibility: "Needs git and jq",
    allowedTools: "Bash(git add:*) Read",
    whenToUse: "When someone has a PDF.",
    tools: ["read", "grep"],
    args: [
      { name: "form", description: "The form", required: true },
      { name: "pages", description: "", required: false },
    ],
    argumentHint: null,
    scope: "session",
    isForPeopleOnly: false,
    ignoredNotes: [],
    body: "Do it.",
    origin: "project",
    folder: ".agents/skills/tidy",
    source: ".agents/skills/tidy/SKILL.md",
  });
});

test("only the description of a skill is required", () => {
  const skill = skillOf(file("description: Tidies."), "Tidy Up");
  expect(skill).toMatchObject({ name: "tidy-up", tools: null, args: [], whenToUse: null, scope: "run" });
});

const lenient: { name: string; text: string; expected: Partial<Skill> }[] = [
  { name: "a byte order mark", text: `\ufeff${file("description: d")}`, expected: { description: "d" } },
  {
    name: "a comment and blank lines before its front matter",
    text: `\n<!-- after another\n---\nskill -->\n\n${file("description: d")}`,
    expected: { description: "d", body: "Do it." },
  },
  { name: "CRLF", text: file("description: d", "a\nb").replaceAll("\n", "\r\n"), expected: { body: "a\nb" } },
  {
    name: "fields nobody knows",
    text: file("description: d\nmodel: gpt\nhooks: {a: 1}"),
    expected: { name: "tidy", ignoredNotes: ["model", "hooks"] },
  },
  {
    name: "a scope of another program",
    text: file("description: d\nscope: global"),
    expected: { scope: "run", ignoredNotes: ["scope (must be run or session)"] },
  },
  {
    name: "compatibility as a mapping",
    text: file("description: d\ncompatibility:\n  some-agent: '>=2.0.0'"),
    expected: { compatibility: null, ignoredNotes: ["compatibility (must be text)"] },
  },
  {
    name: "tools that are no list",
    text: file("description: d\ntools: {a: b}"),
    expected: { tools: null, ignoredNotes: ["tools (must be a list of names)"] },
  },
  {
    name: "tools by another agent's names",
    text: file("description: d\ntools: Bash, Read, WebFetch, Task, MultiEdit, mcp__tracker__find_issue"),
    expected: {
      tools: ["bash", "read", "web_fetch", "agent", "edit", "mcp__tracker__find_issue"],
      ignoredNotes: [],
    },
  },
  {
    name: "tools by the names of yet other agents",
    text: file(
      "description: d\ntools: [execute, edit/editFiles, search/codebase, read/problems, web/fetch, todo, read_file]",
    ),
    expected: {
      tools: ["bash", "edit", "write", "grep", "glob", "read", "web_fetch", "update_plan"],
      ignoredNotes: [],
    },
  },
  {
    name: "the programs that it is made for, as its tools",
    text: file("description: d\ntools: [claude, cursor, gemini]"),
    expected: { tools: null, ignoredNotes: ["tools: claude", "tools: cursor", "tools: gemini"] },
  },
  {
    name: "a tool that only watches a shell",
    text: file("description: d\ntools: [read, execute/getTerminalOutput]"),
    expected: { tools: ["read"], ignoredNotes: ["tools: execute/getTerminalOutput"] },
  },
  {
    name: "tools with patterns",
    text: file("description: d\ntools: [Bash(git add:*), 'Bash(npm run test)', Read(src/**)]"),
    expected: { tools: ["git", "bash", "read"] },
  },
  {
    name: "patterns in a text",
    text: file("description: d\ntools: Bash(git add:*, git commit:*) Grep"),
    expected: { tools: ["git", "grep"] },
  },
  {
    name: "a tool that could not be here",
    text: file("description: d\ntools: [read, browser/open, Frobnicate]"),
    expected: { tools: ["read"], ignoredNotes: ["tools: browser/open", "tools: Frobnicate"] },
  },
  {
    name: "no tool that could be here",
    text: file("description: d\ntools: '*'"),
    expected: { tools: null, ignoredNotes: ["tools: *"] },
  },
  {
    name: "a name that is no text",
    text: file("description: d\nname: [TODO]"),
    expected: { name: "tidy", ignoredNotes: ["name (must be text)"] },
  },
  { name: "a name of signs", text: file("description: d\nname: '***'"), expected: { name: "tidy" } },
  { name: "a name in another script", text: file("description: d\nname: 天气预报"), expected: { name: "tidy" } },
  { name: "a name partly in another script", text: file("description: d\nname: API 设计"), expected: { name: "tidy" } },
  {
    name: "a skill for people alone",
    text: file("description: d\ndisable-model-invocation: true"),
    expected: { isForPeopleOnly: true },
  },
  {
    name: "a hint that is no YAML",
    text: file("description: d\nargument-hint: [--fast] [file or folder]\nmodel: x"),
    expected: { argumentHint: "[--fast] [file or folder]", ignoredNotes: ["model"] },
  },
  {
    name: "a description that is no YAML",
    text: file("name: x\ndescription: [draft] *Checks*\n  releases: all\nwhen_to_use: Often"),
    expected: { name: "x", description: "[draft] *Checks* releases: all", whenToUse: "Often" },
  },
  {
    name: "a description of several lines that nothing marks as one",
    text: file("name: x\ndescription: **Use it**\n- to list\n(2) or to end\n\nIt asks: first.\nlicense: MIT"),
    expected: { name: "x", description: "**Use it** - to list (2) or to end It asks: first." },
  },
  {
    name: "a description that begins with a sign of YAML",
    text: file("name: x\ndescription: @mentions"),
    expected: { description: "@mentions" },
  },
  {
    name: "metadata that is no YAML",
    text: file("description: d\nmetadata:\n  words: [@Timer, other]\nwhen_to_use: Often"),
    expected: { whenToUse: "Often", ignoredNotes: ["metadata"] },
  },
  {
    name: "a licence whose quote is never closed",
    text: file('name: x\ndescription: d\nlicense: "a'),
    expected: { name: "x", ignoredNotes: ["license"] },
  },
  {
    name: "a colon that should be quoted",
    text: file("name: x\ndescription: Use it so: first a, then b"),
    expected: { name: "x", description: "Use it so: first a, then b" },
  },
  {
    name: "a colon at the end of a line",
    text: file("description: Do this:\nwhen_to_use: Often\ncompatibility: no: yes"),
    expected: { description: "Do this:", whenToUse: "Often", compatibility: "no: yes" },
  },
  {
    name: "a text behind the sign of a block",
    text: file("name: x\ndescription: >- Use it: always.\nwhen_to_use: | Often"),
    expected: { name: "x", description: "Use it: always.", whenToUse: "Often" },
  },
  {
    name: "a heading right behind the closing dashes",
    text: "---\ndescription: d\n---# Tidy\nDo it.",
    expected: { description: "d", body: "# Tidy\nDo it." },
  },
  {
    name: "a folded description",
    text: file("description: >\n  one\n  two"),
    expected: { description: "one two" },
  },
  {
    name: "allowed-tools as a list",
    text: file("description: d\nallowed-tools: [Read, Grep]"),
    expected: { allowedTools: "Read, Grep" },
  },
  {
    name: "tools as a text",
    text: file("description: d\ntools: read, grep glob"),
    expected: { tools: ["read", "grep", "glob"] },
  },
  {
    name: "argument-hint as YAML makes a list of it",
    text: file("description: d\nargument-hint: [issue, pr]"),
    expected: { argumentHint: "[issue, pr]", args: [] },
  },
  {
    name: "arguments by their names",
    text: file("description: d\nargument-hint: <version>\narguments: [version, 'to where']"),
    expected: { argumentHint: "<version>", args: [{ name: "version", description: "", required: false }] },
  },
  {
    name: "arguments as a text",
    text: file("description: d\narguments: from to"),
    expected: {
      args: [
        { name: "from", description: "", required: false },
        { name: "to", description: "", required: false },
      ],
    },
  },
  { name: "no tools at all", text: file("description: d\ntools: []"), expected: { tools: [] } },
  {
    name: "empty fields",
    text: file("description: d\nwhen_to_use:\nargs:\ntools:"),
    expected: { whenToUse: null, tools: null },
  },
  { name: "dashes in the body", text: file("description: d", "a\n---\nb"), expected: { body: "a\n---\nb" } },
];

test.each(lenient)("$name: the skill loads", ({ text, expected }) => {
  expect(skillOf(text)).toMatchObject(expected);
});

test.each([
  { given: "Code Review!", name: "code-review" },
  { given: "../../etc/passwd", name: "etc-passwd" },
  { given: "ＡＢＣ", name: "abc" },
  { given: `${"a".repeat(63)}-b`, name: "a".repeat(63) },
  { given: "__proto__", name: "proto" },
])("the name $given becomes $name", ({ given, name }) => {
  expect(skillOf(file(`name: ${JSON.stringify(given)}\ndescription: d`)).name).toBe(name);
});

const broken: { name: string; text: string; line: number; reason: RegExp }[] = [
  { name: "no front matter", text: "# Tidy\n", line: 1, reason: /must begin with front matter/ },
  { name: "an empty file", text: "", line: 1, reason: /must begin with front matter/ },
  { name: "front matter without end", text: "---\nname: x\n", line: 1, reason: /not closed/ },
  { name: "front matter in JavaScript", text: "---js\n{}\n---\nx", line: 1, reason: /must begin with front matter/ },
  {
    name: "bad YAML",
    text: file('name: x\nlicense: MIT\ndescription: "a'),
    line: 5,
    reason: /unexpected end of the stream/,
  },
  {
    name: "bad indentation",
    text: file("name: x\n  description: d\nlicense: MIT"),
    line: 3,
    reason: /bad indentation|multiline|mapping values/,
  },
  {
    name: "a key twice",
    text: file("name: x\ndescription: d\nname: y"),
    line: 4,
    reason: /duplicated mapping key: a name appears twice; remove one/,
  },
  {
    name: "a mistake below a comment",
    text: `<!-- x -->\n${file("name: x\ndescription: ''")}`,
    line: 4,
    reason: /^description: is missing$/,
  },
  { name: "bad YAML below one", text: `\n\n${file('description: "a')}`, line: 5, reason: /in closed quotes$/ },
  { name: "a JavaScript tag", text: file("description: !!js/function 'x'"), line: 2, reason: /unknown tag/ },
  { name: "a list", text: file("- a"), line: 2, reason: /not a mapping/ },
  { name: "no description", text: file("name: x"), line: 1, reason: /^description: is missing$/ },
  {
    name: "an empty description",
    text: file("name: x\ndescription: ''"),
    line: 3,
    reason: /^description: is missing$/,
  },
  {
    name: "a description of parts",
    text: file("description: {a: 1}"),
    line: 2,
    reason: /^description: must be text/,
  },
  {
    name: "a reserved name",
    text: file("description: d\nname: List"),
    line: 3,
    reason: /list is reserved for something else/,
  },
  { name: "args that are no list", text: file("description: d\nargs: x"), line: 3, reason: /^args: must be a list/ },
  {
    name: "an argument without name",
    text: file("description: d\nargs:\n  - required: true"),
    line: 3,
    reason: /^args\.0: must be a name/,
  },
  { name: "an argument twice", text: file("description: d\nargs: [a, a]"), line: 3, reason: /same name/ },
  { name: "nothing but front matter", text: file("description: d", ""), line: 1, reason: /nothing follows/ },
  {
    name: "endless front matter",
    text: file(`description: d\nx: ${"y".repeat(20_000)}`),
    line: 1,
    reason: /longer than 16384/,
  },
  { name: "bottomless nesting", text: file(`description: ${"[".repeat(16_000)}`), line: 1, reason: /not valid YAML/ },
];

test.each(broken)("$name is a problem on line $line", ({ text, line, reason }) => {
  expect(problemOf(text)).toEqual({ line, reason: expect.stringMatching(reason) });
});

test("a broken file is reported on each read", () => {
  const text = file("name: [");
  expect(problemOf(text)).toEqual(problemOf(text));
});

test("metadata may have any keys, without prototype pollution", () => {
  const levels = Array.from({ length: 4 }, (_, level) => `  a${level + 1}: &a${level + 1} [*a${level}, *a${level}]`);
  const shared = `description: d\nmetadata:\n  a0: &a0 x\n${levels.join("\n")}\n  __proto__: polluted\n  ok: yes`;
  expect(skillOf(file(shared))).toMatchObject({ description: "d", ignoredNotes: [] });
  expect("polluted" in {}).toBe(false);
});

test("invisible characters are removed", () => {
  const hidden = "a\u202eb\u200bc\u{e0041}d";
  const skill = skillOf(file(`description: "${hidden}\\a\\n- other: skill"`, `${hidden}\n\tkept`));
  expect(skill.description).toBe("abcd - other: skill");
  expect(skill.body).toBe("abcd\n\tkept");
});

test("a name may be in any script, also if it comes from the folder", () => {
  expect(skillOf(file("description: d\nname: API 设计"), "设计").name).toBe("api");
  expect(parse(file("description: d\nname: 设计"), "设计")).toMatchObject({
    problem: { line: 3, reason: expect.stringContaining("rename the folder") },
  });
});

test("a long body is cut at the end of a line, with a hint how to read the rest", () => {
  const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at + 5}`);
  const { body } = skillOf(file("description: d", `\n${lines.join("\n")}`));
  const [, last, offset] = /\nline (\d+)\n\[Cut here: .*"offset":(\d+)\}/.exec(body) ?? [];
  expect(Number(offset)).toBe(Number(last) + 1);
  expect(body).toContain('Read the rest with the tool `read`, as {"path":".agents/skills/tidy/SKILL.md"');
  const one = skillOf(file("description: d", "x".repeat(50_000)));
  expect(one.body).toMatch(/^x{40000}\n\[Cut here: of 50000 characters 40000 are shown\..*"offset":4\}/);
});

test.each([
  { what: "aliases of aliases", matter: nested(12) },
  { what: "an alias within what it stands for", matter: "metadata: &a [*a]" },
])("$what do not multiply: the file is refused", ({ matter }) => {
  const { reason } = problemOf(file(`description: x\n${matter}`));
  expect(reason).toBe("the front matter repeats its parts too often");
});

test("a few aliases are fine", () => {
  expect(skillOf(file("description: &d Tidies.\nwhen_to_use: *d")).whenToUse).toBe("Tidies.");
});

/** YAML aliases of which each line expands to nine times the line before. */
function nested(lines: number): string {
  const first = "a0: &a0 [x]";
  const rest = Array.from({ length: lines }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
  return [first, ...rest].join("\n");
}
