import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { columnsOf } from "../../../src/adapters/render/markdown/columns.ts";
import { messageLines } from "../../../src/adapters/terminal/client/show.ts";
import { fitted, terminalLines } from "../../../src/adapters/terminal/format.ts";

const PLAIN = { width: 24, hasColour: false };

test.each([
  { name: "Latin letters", text: "abc", columns: 3 },
  { name: "Chinese characters", text: "中文", columns: 4 },
  { name: "a sign shown as a picture", text: "⏳", columns: 2 },
  { name: "a family in one sign", text: "👩‍👩‍👧", columns: 2 },
  { name: "an accent of its own", text: "e\u0301", columns: 1 },
  { name: "Hangul", text: "한국", columns: 4 },
])("$name have the display width that terminals use", ({ text, columns }) => {
  expect(columnsOf(text)).toBe(columns);
});

test.each([
  { name: "words", markdown: "The port is set in three files of this project." },
  { name: "a word without blanks", markdown: "x".repeat(100) },
  { name: "wide characters", markdown: "端口在三个文件中设置，请先检查它们再继续进行修改" },
  { name: "a list", markdown: "- one entry that is longer than the line\n  1. another that is longer, too" },
  { name: "a quote", markdown: "> somebody said something that is longer than the line" },
  { name: "a heading", markdown: "## A heading that is longer than the whole line" },
  { name: "code", markdown: `\`\`\`ts\n${"const a = 1; ".repeat(5)}\n\`\`\`` },
])("no line of $name is wider than the terminal, and nothing is lost", ({ markdown }) => {
  const lines = terminalLines(markdown, PLAIN);
  for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(PLAIN.width);
  const letters = (text: string) => text.replaceAll(/^(?:```.*|#+ |> |\s*[-•] )|[│•\s-]/gmu, "");
  expect(letters(lines.join(""))).toBe(letters(markdown));
});

test("escape sequences of a model are not printed", () => {
  const lines = terminalLines("a\u001b]0;title\u0007 b\u001b[2J \u202ec\u009b31m", { width: 80, hasColour: true });
  for (const code of ["\u001b", "\u0007", "\u009b", "\u202e"]) expect(lines.join("")).not.toContain(code);
  expect(lines.join("")).toContain("\\u{1b}[2J");
});

test("colours only add escape codes around the text, and none without colour support", () => {
  const markdown = "**bold** and `code` and [a link](https://example.com)";
  const [plain = ""] = terminalLines(markdown, { width: 80, hasColour: false });
  const [coloured = ""] = terminalLines(markdown, { width: 80, hasColour: true });
  expect(plain).toBe("bold and code and a link (https://example.com)");
  expect(coloured).toContain("\u001b[1mbold\u001b[22m");
  expect(stripVTControlCharacters(coloured)).toBe(plain);
});

test("a line of an error is red behind its code, too", () => {
  const [line = ""] = messageLines(
    { markdown: "✗ `DECKHAND_HOME` is not mine.", tone: "error", files: [] },
    { width: 80, hasColour: true },
  );
  expect(line).toContain("\u001b[31m is not mine.");
});

test("truncated text says so and splits no character", () => {
  expect(fitted("中文字符", 5)).toBe("中文…");
  expect(fitted("short", 5)).toBe("short");
});
