import { expect, test } from "vitest";
import { textProblems } from "../../scripts/gates/text.ts";
import { projectWith } from "../support/project.ts";

const PARTS = ["adapter.ts", "descriptor.ts", "errors.ts", "format.ts", "inbound.ts", "limits.ts", "wire.ts"];

function adapters(...platforms: string[]): Record<string, string> {
  const files = platforms.flatMap((platform) => PARTS.map((part) => `src/adapters/${platform}/${part}`));
  return Object.fromEntries(files.map((file) => [file, "export {};\n"]));
}

/** Put together at run time, so that the gate does not find these words in this file. */
const MARKER = ["TO", "DO"].join("");
const OF = ["O", "f"].join("");
const SKIP = ["test", "skip"].join(".");
const MOCK = ["vi", "mock"].join(".");

test("files within the limits and adapters with the same parts have no problem", () => {
  const root = projectWith({
    ...adapters("slack", "discord", "web"),
    "src/adapters/discord/snowflake.ts": "export {};\n",
    "src/long.ts": "export {};\n".repeat(400),
    "src/answers.ts": `export const HELP = "search for ${MARKER}";\n`,
    "docs/long.md": "text\n".repeat(500),
    "src/core/a.ts": 'export const HOW = "`id` must be written `slack:U1`"; // such as "slack"\n',
  });
  expect(textProblems(root)).toEqual([]);
});

const violations: { name: string; files: Record<string, string>; problem: string }[] = [
  {
    name: "a file beyond the limit",
    files: { "src/long.ts": "export {};\n".repeat(401) },
    problem: "src/long.ts: has 401 lines, more than 400.",
  },
  {
    name: "one more interface of options",
    files: {
      "src/parts.ts": Array.from({ length: 40 }, (_, number) => `export interface Part${number}Options {}\n`).join(""),
      "src/more.ts": Array.from({ length: 41 }, (_, number) => `type More${number}Deps = object;\n`).join(""),
    },
    problem: "src: has 81 interfaces of options, more than 80; take a part of one that there is.",
  },
  {
    name: "a folder with too many files",
    files: Object.fromEntries(
      Array.from({ length: 21 }, (_, number) => [`src/core/run/part-${number}.ts`, "export {};\n"]),
    ),
    problem: "src/core/run/: has 21 files, more than 20.",
  },
  {
    name: "a marker for later",
    files: { "src/a.ts": `export {};\n// ${MARKER}: finish\n` },
    problem: "src/a.ts:2: finish it or open an issue; no marker stays in the text.",
  },
  {
    name: "a doc comment that is no sentence",
    files: { "src/a.ts": `/** ${OF} each request. */\nexport const CHARS = 1;\n` },
    problem: "src/a.ts:1: a comment is a whole sentence about the thing, and does not begin with Of.",
  },
  {
    name: "a doc comment over several lines that is no sentence",
    files: { "src/a.ts": `export {};\n/**\n * ${OF} each request.\n */\n` },
    problem: "src/a.ts:2: a comment is a whole sentence about the thing, and does not begin with Of.",
  },
  {
    name: "a comment within code that is no sentence",
    files: { "test/a.ts": `export const one = () => {\n  // ${OF} each request.\n};\n` },
    problem: "test/a.ts:2: a comment is a whole sentence about the thing, and does not begin with Of.",
  },
  {
    name: "a vague name",
    files: { "src/core/utils.ts": "export {};\n" },
    problem: "src/core/utils.ts: name it after what it does; no barrels.",
  },
  {
    name: "a barrel",
    files: { "src/core/index.ts": "export {};\n" },
    problem: "src/core/index.ts: name it after what it does; no barrels.",
  },
  {
    name: "a test that is left out",
    files: { "test/a.test.ts": `${SKIP}("x", () => {});\n` },
    problem: "test/a.test.ts:1: a test that does not run is a defect.",
  },
  {
    name: "a platform that the core compares with",
    files: { "src/core/a.ts": 'export const isIt = (name: string) => name === "slack";\n' },
    problem: "src/core/a.ts:1: names a platform; ask its descriptor (src/platforms.ts).",
  },
  {
    name: "a platform in a pattern of the core",
    files: { "src/core/a.ts": "export {};\nexport const OURS = /\\bslack\\.com/;\n" },
    problem: "src/core/a.ts:2: names a platform; ask its descriptor (src/platforms.ts).",
  },
  {
    name: "a platform as a key of the core",
    files: { "src/jobs/a.ts": "export const WORDS = {\n  terminal: 1,\n};\n" },
    problem: "src/jobs/a.ts:2: names a platform; ask its descriptor (src/platforms.ts).",
  },
  {
    name: "a platform that a tool takes from a record",
    files: { "src/tools/a.ts": "export const of = (words: { [name: string]: string }) => words.discord;\n" },
    problem: "src/tools/a.ts:1: names a platform; ask its descriptor (src/platforms.ts).",
  },
  {
    name: "a platform that the core puts before an id",
    files: { "src/core/a.ts": 'export const isIt = (id: string) => id.startsWith("slack:");\n' },
    problem: "src/core/a.ts:1: names a platform; ask its descriptor (src/platforms.ts).",
  },
  {
    name: "a platform that the core makes an id with",
    files: { "src/core/a.ts": "export const idOf = (id: string) => `web:${id}`;\n" },
    problem: "src/core/a.ts:1: names a platform; ask its descriptor (src/platforms.ts).",
  },
  {
    name: "a mocked module",
    files: { "test/a.test.ts": `${MOCK}("node:fs");\n` },
    problem: "test/a.test.ts:1: modules are not mocked; use a real counterpart.",
  },
];

test.each(violations)("$name is refused", ({ files, problem }) => {
  expect(textProblems(projectWith(files))).toEqual([problem]);
});

test("an adapter that lacks a part of the others is refused", () => {
  const { "src/adapters/web/limits.ts": _, ...files } = adapters("slack", "discord", "web");
  expect(textProblems(projectWith(files))).toEqual([
    "src/adapters/web: has no limits.ts; slack, discord and web hold the same parts.",
  ]);
});
