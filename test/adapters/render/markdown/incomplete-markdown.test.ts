import * as fc from "fast-check";
import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";
import { completedTail } from "../../../../src/adapters/render/markdown/incomplete-markdown.ts";

const ROOM = { lines: 20, chars: 2_000, showsTables: true };

const cases: { written: string; shown: string }[] = [
  { written: "plain words", shown: "plain words" },
  { written: "a **bold st", shown: "a **bold st**" },
  { written: "a **", shown: "a" },
  { written: "a **bold** and *it", shown: "a **bold** and *it*" },
  { written: "**bold *both", shown: "**bold *both***" },
  { written: "run `npm te", shown: "run `npm te`" },
  { written: "run `", shown: "run" },
  { written: "see [the do", shown: "see the do" },
  { written: "see [the docs](https://exa", shown: "see the docs" },
  { written: "see [the docs](https://example.com)", shown: "see [the docs](https://example.com)" },
  { written: "text\n##", shown: "text" },
  { written: "text\n\n- ", shown: "text" },
  { written: "text\n```t", shown: "text" },
  { written: "text\n\n| Service | Po", shown: "text" },
  { written: "text\n\n| Service | Port |\n|---|-", shown: "text" },
  { written: "| a | b |\n|---|---|\n| 1 |", shown: "" },
  { written: "| a | b |\n|---|---|\n| 1 | 2 |\n|", shown: "| a | b |\n|---|---|\n| 1 | 2 |" },
  { written: "```\n| a |\n|---|\n| 1", shown: "```\n| a |\n|---|\n| 1\n```" },
  { written: "text\n```ts\nconst a", shown: "text\n```ts\nconst a\n```" },
  { written: "text\n```ts\nconst a\n``", shown: "text\n```ts\nconst a\n```" },
  { written: "```ts\nconst a\n```\nafter", shown: "```ts\nconst a\n```\nafter" },
  { written: "2 * 3 and snake_case", shown: "2 * 3 and snake_case" },
  { written: "`a ** b` stays", shown: "`a ** b` stays" },
  { written: "**first** closed\n\nthen **open", shown: "**first** closed\n\nthen **open**" },
  { written: "Look:\n- **", shown: "Look:" },
  { written: "- one\n- **`", shown: "- one" },
  { written: "1. one\n2. [", shown: "1. one" },
  { written: "***Note*** and mo", shown: "***Note*** and mo" },
  { written: "***No", shown: "***No***" },
  { written: "**Name:** ______ and __", shown: "**Name:** ______ and" },
  { written: "1 \\* 2 \\", shown: "1 \\* 2" },
  { written: "1. run\n   ```sh\n   npm", shown: "1. run\n   ```sh\n   npm\n   ```" },
  { written: "", shown: "" },
];

test.each(cases)("$written is shown as $shown", ({ written, shown }) => {
  expect(completedTail(written, ROOM)).toBe(shown);
});

test("the last lines are shown, and a fence that was cut is reopened", () => {
  const text = `intro\n\`\`\`py\n${Array.from({ length: 50 }, (_, n) => `print(${n})`).join("\n")}`;
  expect(completedTail(text, { ...ROOM, lines: 3, chars: 500 })).toBe("```py\nprint(47)\nprint(48)\nprint(49)\n```");
});

test("list items below the cut lose their indentation", () => {
  expect(completedTail("- one\n    - **two**\n    - **thr", { ...ROOM, lines: 2 })).toBe("- **two**\n- **thr**");
});

test.each([1, 2, 3])("a table cut at %d lines from its end keeps its header row", (lines) => {
  const head = "| a | b |\n|---|---|";
  const shown = completedTail(`Look:\n\n${head}\n| 1 | 2 |\n| 3 | 4 |\n`, { ...ROOM, lines });
  expect(shown).toBe(`${head}\n${lines === 1 ? "" : "| 1 | 2 |\n"}| 3 | 4 |`);
});

test("a table is rendered as in the final answer on platforms without Markdown tables", () => {
  expect(completedTail("Look:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3", { ...ROOM, showsTables: false })).toBe(
    "Look:\n\n```\na  b\n-  -\n1  2\n```",
  );
});

test("of a line longer than the limit the end is shown", () => {
  expect(completedTail("x".repeat(100), { ...ROOM, lines: 3, chars: 10 })).toBe(`…${"x".repeat(10)}`);
});

/** The text that Markdown shows once it is rendered. */
function readable(markdown: string): string {
  return new MarkdownIt()
    .parse(markdown, {})
    .flatMap((token) => token.children ?? [])
    .map((token) => token.content)
    .join("");
}

const sentence = fc
  .array(
    fc.constantFrom("word", "**bold word**", "*slanted*", "`code()`", "[a link](https://example.com/x)", "~~gone~~"),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((words) => words.join(" "));
const documents = fc
  .array(
    fc.oneof(
      sentence,
      sentence.map((text) => `- ${text}`),
      sentence.map((text) => `## ${text}`),
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((blocks) => blocks.join("\n\n"));

test("no prefix of a text shows a raw Markdown marker", () => {
  fc.assert(
    fc.property(documents, (markdown) => {
      for (let length = 1; length <= markdown.length; length += 1) {
        expect(readable(completedTail(markdown.slice(0, length), ROOM)), markdown.slice(0, length)).not.toMatch(
          /[*`~[\]]/u,
        );
      }
    }),
    { numRuns: 60 },
  );
});
