import * as fc from "fast-check";
import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";
import { splitMarkdown } from "../../../../src/adapters/render/markdown/splitter.ts";

const cases: { name: string; markdown: string; max: number; pieces: string[] }[] = [
  { name: "a short text stays whole", markdown: "hello\n\nworld", max: 40, pieces: ["hello\n\nworld"] },
  { name: "an empty text has no pieces", markdown: "", max: 40, pieces: [] },
  { name: "white space has no pieces", markdown: " \n\n ", max: 40, pieces: [] },
  {
    name: "a border between paragraphs is preferred to one between lines",
    markdown: "first paragraph\n\nsecond line one\nsecond line two",
    max: 36,
    pieces: ["first paragraph", "second line one\nsecond line two"],
  },
  {
    name: "a border between lines is preferred to one between words",
    markdown: "one two three four\nfive six seven eight",
    max: 30,
    pieces: ["one two three four", "five six seven eight"],
  },
  {
    name: "a long line breaks between words",
    markdown: "one two three four five six seven",
    max: 20,
    pieces: ["one two three four", "five six seven"],
  },
  {
    name: "a long word breaks anywhere",
    markdown: "a".repeat(25),
    max: 10,
    pieces: ["a".repeat(10), "a".repeat(10), "a".repeat(5)],
  },
  {
    name: "a fence is closed at the border and opened again with its language",
    markdown: "```ts title=x\nconst a = 1;\nconst b = 2;\nconst c = 3;\n```",
    max: 40,
    pieces: ["```ts title=x\nconst a = 1;\n```", "```ts\nconst b = 2;\nconst c = 3;\n```"],
  },
  {
    name: "no empty code block is opened when the code ends at the border",
    markdown: "```ts\nconst a = 1;\nconst b = 2;\n```\n\nThat is all there is to it.",
    max: 36,
    pieces: ["```ts\nconst a = 1;\nconst b = 2;\n```", "That is all there is to it."],
  },
  {
    name: "blank lines inside code are kept",
    markdown: "```\naaaaaaaaaaaaaaaa\n\n\nbbbbbbbbbbbbbbbb\n```",
    max: 32,
    pieces: ["```\naaaaaaaaaaaaaaaa\n\n\n```", "```\nbbbbbbbbbbbbbbbb\n```"],
  },
  {
    name: "a longer fence is not closed by a shorter one inside it",
    markdown: "````md\n```\ninner inner inner\n```\nmore more more more\n````",
    max: 48,
    pieces: ["````md\n```\ninner inner inner\n```\n````", "````md\nmore more more more\n````"],
  },
  {
    name: "a fence in a list item closes within it, and goes on at the margin",
    markdown: "1. run\n\n    ```sh\n    one one one one\n      two two two two\n    ```\n\nend",
    max: 48,
    pieces: ["1. run\n\n    ```sh\n    one one one one\n    ```", "```sh\n  two two two two\n```\n\nend"],
  },
  {
    name: "what is cut out of a list begins at the margin, for it would be read as code",
    markdown: "- first\n    - **second** item\n    - **third** item\n      - fourth\n- fifth",
    max: 36,
    pieces: ["- first\n    - **second** item", "- **third** item\n  - fourth\n- fifth"],
  },
  {
    name: "code that is indented stays code",
    markdown: "some words:\n\n    const a = 1;\n    const b = 2;",
    max: 36,
    pieces: ["some words:\n\n    const a = 1;", "    const b = 2;"],
  },
  {
    name: "a heading stands with what is below it",
    markdown: "one two three four five\n\n## Six\n\nseven eight nine",
    max: 36,
    pieces: ["one two three four five", "## Six\n\nseven eight nine"],
  },
  {
    name: "a line that leads to a list stands with it",
    markdown: "one two three four five\n**Six:**\n- seven eight nine",
    max: 36,
    pieces: ["one two three four five", "**Six:**\n- seven eight nine"],
  },
  {
    name: "code without an end is closed",
    markdown: "as far as it goes\n```ts\nconst a",
    max: 40,
    pieces: ["as far as it goes\n```ts\nconst a\n```"],
  },
  {
    name: "a table has its head again where its rows go on",
    markdown: `|a|b|\n|-|-|\n|${"one ".repeat(10)}|two|\n|${"three ".repeat(8)}|four|\n\nend`,
    max: 80,
    pieces: [`|a|b|\n|-|-|\n|${"one ".repeat(10)}|two|`, `|a|b|\n|-|-|\n|${"three ".repeat(8)}|four|\n\nend`],
  },
  {
    name: "a table's head is not cut from its rows",
    markdown: "There is a table below.\n| a | b |\n|---|---|\n| one | two |",
    max: 45,
    pieces: ["There is a table below.", "| a | b |\n|---|---|\n| one | two |"],
  },
];

test.each(cases)("$name", ({ markdown, max, pieces }) => {
  expect(splitMarkdown(markdown, max)).toEqual(pieces);
});

const maxChars = fc.integer({ min: 40, max: 400 });

test("no piece exceeds the limit, is empty, or splits a character", () => {
  const text = fc.array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.constantFrom("\n", "\n\n", "```", "```ts\n", "\n~~~~\n", "    ```\n", "  ", "😀😀😀", "`".repeat(70)),
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 20, max: 200 }), (parts, max) => {
      const markdown = parts.join("");
      for (const piece of splitMarkdown(markdown, max)) {
        expect(piece.length).toBeLessThanOrEqual(max);
        expect(piece.trim()).not.toBe("");
        expect(piece.isWellFormed()).toBe(true);
      }
    }),
  );
});

test("joining the pieces of an unbroken text restores it", () => {
  const unbroken = fc.string({ unit: fc.constantFrom("a", "é", "😀", "漢"), minLength: 1, maxLength: 900 });
  fc.assert(
    fc.property(unbroken, maxChars, (text, max) => {
      expect(splitMarkdown(text, max).join("")).toBe(text);
    }),
  );
});

/** Documents of paragraphs, lists and fenced code in which every word is unique. */
const documents = fc
  .array(
    fc.record({
      kind: fc.constantFrom("paragraph", "list", "code", "quoted code"),
      language: fc.constantFrom("", "ts", "python"),
      lines: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((blocks) => {
    let next = 0;
    const line = (words: number) => Array.from({ length: words }, () => `w${next++}.`).join(" ");
    return blocks
      .map(({ kind, language, lines }) => {
        const text = lines.map(line);
        if (kind === "paragraph") return text.join("\n");
        if (kind === "list") return text.map((item) => `- ${item}`).join("\n");
        const marker = kind === "code" ? "```" : "~~~~";
        return [`${marker}${language}`, ...text, marker].join("\n");
      })
      .join("\n\n");
  });

/** Each word, and the language of the code block that contains it, as a Markdown parser reads them. */
function wordsOf(markdown: string): string[] {
  return new MarkdownIt().parse(markdown, {}).flatMap((token) => {
    if (token.type !== "fence" && token.type !== "inline") return [];
    const place = token.type === "fence" ? `code ${token.info}` : "text";
    return [...token.content.matchAll(/w\d+\./gu)].map(([word]) => `${word} in ${place}`);
  });
}

test("every word occurs once, in order, inside or outside code as written", () => {
  fc.assert(
    fc.property(documents, maxChars, (markdown, max) => {
      expect(splitMarkdown(markdown, max).flatMap(wordsOf)).toEqual(wordsOf(markdown));
    }),
    { numRuns: 300 },
  );
});

test("each piece of a table is a table with the same header, and no row is lost", () => {
  const rows = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 30 });
  const rowsOf = (markdown: string) => {
    const tokens = new MarkdownIt().parse(markdown, {});
    return tokens.flatMap(({ type, content }) => (type === "inline" ? [content] : []));
  };
  fc.assert(
    fc.property(rows, fc.integer({ min: 60, max: 400 }), (sizes, max) => {
      const lines = sizes.map((size, index) => `|r${index}|${"x".repeat(size)}|`);
      const pieces = splitMarkdown(`|n|v|\n|-|-|\n${lines.join("\n")}`, max).map(rowsOf);
      expect(pieces.map((cells) => cells.slice(0, 2))).toEqual(pieces.map(() => ["n", "v"]));
      const cells = pieces.flatMap((piece) => piece.slice(2));
      expect(cells).toEqual(sizes.flatMap((size, index) => [`r${index}`, "x".repeat(size)]));
    }),
  );
});
