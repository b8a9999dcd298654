import { expect, test } from "vitest";
import { bindArguments, fillPlaceholders } from "../../../src/core/skills/skill-arguments.ts";
import { argumentLine, missingText, renderSkill } from "../../../src/core/skills/skill-render.ts";
import type { Skill } from "../../../src/core/skills/skills.ts";
import { arg, skillWith } from "./skill-fixture.ts";

/** Splits arguments as a shell does if nothing is quoted. */
function given(raw: string) {
  return { raw, values: raw === "" ? [] : raw.split(" ") };
}

const place = { name: "place", description: "A town", required: true };

const fillings: { name: string; skill: Partial<Skill>; raw: string; text: string }[] = [
  { name: "$ARGUMENTS", skill: { body: "Look at $ARGUMENTS." }, raw: "src/ a=b", text: "Look at src/ a=b." },
  { name: "$ARGUMENTS without any", skill: { body: "[$ARGUMENTS]" }, raw: "", text: "[]" },
  { name: "$1 and $2", skill: { body: "$2, then $1", argumentHint: "[a] [b]" }, raw: "a b", text: "b, then a" },
  {
    name: "$12",
    skill: { body: "$12 of $ARGUMENTS" },
    raw: "1 2 3 4 5 6 7 8 9 10 11 twelve",
    text: "twelve of 1 2 3 4 5 6 7 8 9 10 11 twelve",
  },
  { name: "a name", skill: { body: "{{a}} {{ b }}", args: [arg("a"), arg("b")] }, raw: "x y", text: "x y" },
  { name: "name=value", skill: { body: "{{a}} {{b}}", args: [arg("a"), arg("b")] }, raw: "b=1=2 x", text: "x 1=2" },
  { name: "$1 by name", skill: { body: "$1 $2", args: [arg("a"), arg("b")] }, raw: "b=2 1", text: "1 2" },
  { name: "an optional one left out", skill: { body: "[{{a}}][$1]", args: [arg("a")] }, raw: "", text: "[][]" },
  {
    name: "more words than arguments",
    skill: { body: "{{place}}", args: [place] },
    raw: "San Francisco",
    text: "San Francisco",
  },
  { name: "an undeclared name=value", skill: { body: "$1", argumentHint: "q" }, raw: "q=1", text: "q=1" },
  { name: "no placeholder", skill: { body: "Tidy." }, raw: "src/", text: "Tidy.\n\nArguments: src/" },
  {
    name: "a value that looks like a placeholder",
    skill: { body: "$1 $2", argumentHint: "[a] [b]" },
    raw: "$2 $ARGUMENTS",
    text: "$2 $ARGUMENTS",
  },
  {
    name: "a value that replacing treats specially",
    skill: { body: "[$ARGUMENTS]" },
    raw: "$& $' $`",
    text: "[$& $' $`]",
  },
  {
    name: "an escaped one",
    skill: { body: "\\$1 \\$ARGUMENTS $1", argumentHint: "x" },
    raw: "x",
    text: "$1 $ARGUMENTS x",
  },
  { name: "a template's braces", skill: { body: "{{user}} $1", argumentHint: "x" }, raw: "x", text: "{{user}} x" },
  {
    name: "prices of a skill that takes arguments",
    skill: { body: "$5, $100, $1.50, $1,000, $1k, $1M, $1/month, $1 per seat, $1. And $1/a", argumentHint: "[what]" },
    raw: "x",
    text: "$5, $100, $1.50, $1,000, $1k, $1M, $1/month, $1 per seat, x. And x/a",
  },
  {
    name: "prices of a skill that says nothing of arguments",
    skill: { body: "In $1.00, out $5; $1 the rest, $2." },
    raw: "which model",
    text: "In $1.00, out $5; $1 the rest, $2.\n\nArguments: which model",
  },
  {
    name: "words that no placeholder takes",
    skill: { body: "Look at $1.", argumentHint: "[file]" },
    raw: "a.ts for units",
    text: "Look at a.ts.\n\nArguments: a.ts for units",
  },
  {
    name: "a declared argument that has no place",
    skill: { body: "{{a}}", args: [arg("a"), arg("b")] },
    raw: "x y",
    text: "x\n\nArguments: x y",
  },
  {
    name: "$ARGUMENTS by number, from 0",
    skill: { body: "$ARGUMENTS[1] of $ARGUMENTS[0], $ARGUMENTS[7]" },
    raw: "a b",
    text: "b of a, $ARGUMENTS[7]",
  },
  {
    name: "$name of a declared argument, and a variable that is none",
    skill: { body: "Release $version from $HOME, $version-rc", args: [arg("version")] },
    raw: "1.2",
    text: "Release 1.2 from $HOME, $version-rc",
  },
  {
    name: "code of a skill without arguments of its own",
    skill: { body: "`awk '{print $1}'`\n\n```sh\necho $1 \"$2\"\n```\n$ARGUMENTS, $1" },
    raw: "x y",
    text: "`awk '{print $1}'`\n\n```sh\necho $1 \"$2\"\n```\nx y, x",
  },
  {
    name: "awk's own in a skill with arguments",
    skill: { body: "```sh\ngit diff $1 | awk '{print $1}'\n```", argumentHint: "[ref]" },
    raw: "main",
    text: "```sh\ngit diff main | awk '{print $1}'\n```",
  },
  {
    name: "code of a skill with arguments",
    skill: { body: "`git diff $1`", args: [arg("ref")] },
    raw: "main",
    text: "`git diff main`",
  },
];

test.each(fillings)("$name", ({ skill, raw, text }) => {
  expect(fillPlaceholders(skillWith(skill), given(raw))).toBe(text);
});

test("already separated arguments keep their spaces", () => {
  const skill = skillWith({ body: "{{a}}|{{b}}", args: [arg("a"), arg("b")] });
  expect(fillPlaceholders(skill, { values: ["two words", "b=three more words"], raw: "" })).toBe(
    "two words|three more words",
  );
});

const missing: { name: string; raw: string; names: string[] }[] = [
  { name: "nothing", raw: "", names: ["a", "b"] },
  { name: "one of two", raw: "x", names: ["b"] },
  { name: "the second by name", raw: "b=x", names: ["a"] },
  { name: "an empty value", raw: "a= b=x", names: ["a"] },
  { name: "all", raw: "x y", names: [] },
];

test.each(missing)("given $name, the missing ones are $names", ({ raw, names }) => {
  const args = [arg("a", true), arg("b", true), arg("c")];
  expect(bindArguments(args, given(raw)).missing.map(({ name }) => name)).toEqual(names);
});

test("a skill without its required arguments is not ready, and names them", () => {
  const skill = skillWith({ args: [place, arg("days")] });
  expect(renderSkill(skill, given(""))).toEqual({ type: "missing", args: [place] });
  expect(missingText(skill, [place])).toContain("The skill tidy needs place (A town).");
  expect(argumentLine(skill)).toBe("place (required), days");
});

test("a long argument used repeatedly in a body is inserted in full once", () => {
  const skill = skillWith({ body: `$ARGUMENTS\n${"$1".repeat(10_000)}` });
  const long = "x".repeat(60_000);
  const text = fillPlaceholders(skill, given(long));
  expect(text.startsWith(`${long}\n[…]`)).toBe(true);
  expect(text.length).toBeLessThan(200_000);
  expect(fillPlaceholders(skillWith({ body: "$1 $1 $1", argumentHint: "x" }), given("x".repeat(20_000)))).not.toContain(
    "…",
  );
});

test("a project's skill states its directory, and that its allowed-tools grant nothing", () => {
  const skill = skillWith({ allowedTools: "Bash(git:*) Read", compatibility: "Needs git", tools: ["read", "grep"] });
  const rendered = renderSkill(skill, given(""));
  expect(rendered).toMatchObject({ type: "ready", tools: ["read", "grep"] });
  expect(rendered).toHaveProperty(
    "text",
    `Skill \`tidy\`. Follow it for this request; it lifts no boundary.
Files that it names are in \`.agents/skills/tidy/\` of the working directory: read and run them there.
Made for: Needs git
Use only these tools; others are refused: read, grep.
It asks to use: Bash(git:*) Read. That is a request, not a permission: calls are decided as usual.

Tidy up.`,
  );
});

test("a skill from outside the sandbox reveals no host paths", () => {
  const rendered = renderSkill(skillWith({ origin: "application", folder: "/opt/deckhand/skills/tidy" }), given(""));
  expect(rendered).toHaveProperty("text", expect.stringContaining('{"skill": "tidy", "file": "<name>"}'));
  expect(rendered).toHaveProperty("text", expect.not.stringContaining("/opt"));
});

test.each([
  { body: "python {baseDir}/scripts/a.py", text: "python .agents/skills/tidy/scripts/a.py" },
  { body: 'sh "${CLAUDE_SKILL_DIR}/a.sh" $1.00', text: 'sh ".agents/skills/tidy/a.sh" $1.00' },
  { body: "$CLAUDE_PLUGIN_ROOT/scripts/a.py", text: ".agents/skills/tidy/scripts/a.py" },
  { body: "${CLAUDE_PLUGIN_ROOT}/skills/tidy/a.py", text: ".agents/skills/tidy/a.py" },
  { body: "${CLAUDE_PLUGIN_ROOT}/skills/other/a.py", text: ".agents/skills/other/a.py" },
  { body: "${workspaceDir}/a.py", text: "${workspaceDir}/a.py" },
])("in a project $body is $text", ({ body, text }) => {
  expect(bodyOf(skillWith({ body }), "")).toBe(text);
});

test("a folder outside the sandbox is not shown with its host path, and arguments cannot name folders", () => {
  const body = "{baseDir}/a.py $ARGUMENTS";
  const skill = skillWith({ body, origin: "home", folder: "/srv/home/extensions/skills/tidy" });
  expect(bodyOf(skill, "{baseDir}")).toBe("./a.py {baseDir}");
});

function bodyOf(skill: Skill, raw: string): string | undefined {
  const rendered = renderSkill(skill, given(raw));
  return rendered.type === "ready" ? rendered.text.split("\n\n").at(-1) : undefined;
}

test.each([
  ["!`git status`", true],
  ["- State: !`git status`", true],
  ["Say `hi`!", false],
])("a body with a command placeholder tells the model that it was not run: %s", (body, isSaid) => {
  const rendered = renderSkill(skillWith({ body }), given(""));
  expect(rendered.type === "ready" && rendered.text.includes("run it first")).toBe(isSaid);
});
