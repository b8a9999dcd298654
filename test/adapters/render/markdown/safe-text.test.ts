import * as fc from "fast-check";
import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";
import { withoutImages, withoutMentions } from "../../../../src/adapters/render/markdown/safe-text.ts";
import { inlineCode, plainLine } from "../../../../src/core/text/plain-text.ts";

test.each([
  "@everyone",
  "@here",
  "@channel",
  "@Everyone",
  "<!channel>",
  "<!here>",
  "<!subteam^S1>",
  "<@U123>",
  "<@!1>",
  "<@&1>",
  "<#C1>",
  "<@U1|ana>",
])("%s is neutralised but stays readable", (mention) => {
  const safe = withoutMentions(`hey ${mention}!`);
  expect(safe).not.toContain(mention);
  expect(safe.replaceAll("\u200b", "")).toBe(`hey ${mention}!`);
});

test.each([
  "<!DOCTYPE html>",
  "<!-- comment -->",
  "#include <stdio.h>",
  "List<@NonNull String>",
  "<#if a><@macro/></#if>",
  "ana@example.com",
  "ana@here.com",
  "a <b> c",
  "@hereby",
])("%s is unchanged", (text) => {
  expect(withoutMentions(text)).toBe(text);
});

test.each([
  "![a](https://x/y.png)",
  "![a [b] c](https://x/y.png)",
  "![a\\]](https://x/y.png)",
  "![a\nb](https://x/y.png)",
  "![a]\n\n[a]: https://x/y.png",
  "![a][]\n\n[a]: https://x/y.png",
  "![a][b]\n\n[b]: <https://x/y.png> 'title'",
  "[![a](https://x/y.png)](https://x)",
  "![![a](https://x/y.png)](https://x/z.png)",
  '!![a](<https://x/y z.png> "title")',
  "![`]`](https://x/y.png)",
  "![](https://x/y.png)",
  "> ![a\n> b](https://x/y.png)",
  "| ![a](https://x/y.png) |\n|-|",
  "![a\n\u00a0\nb](https://x/y.png)",
  "![a\n\f\nb](https://x/y.png)",
  "![a\n\u2028\nb](https://x/y.png)",
])("the image in %j is removed", (markdown) => {
  expect(imagesIn(markdown)).not.toBe(0);
  expect(imagesIn(withoutImages(markdown))).toBe(0);
});

test("no combination of parts forms an image", () => {
  const parts = [
    "!",
    "[",
    "]",
    "(",
    ")",
    "a",
    "<",
    ">",
    "\\",
    "`",
    "\n",
    "\n\n",
    "[a]: u\n",
    ":",
    '"',
    " ",
    "> ",
    "\u00a0",
    "\f",
    "\u2028",
  ];
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...parts) }), (markdown) => {
      expect(imagesIn(withoutImages(markdown))).toBe(0);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  "vec![1, 2]",
  "#![no_std]",
  "if ! [ -f x ]; then",
  "wow![^1]",
  "```\nlet a = vec![1];\n```\n\n[x](https://x)",
])("%j is unchanged", (text) => {
  expect(withoutImages(text)).toBe(text);
});

/** Number of images according to an independent Markdown parser. */
function imagesIn(markdown: string): number {
  const inlines = new MarkdownIt().parse(markdown, {}).flatMap((token) => token.children ?? []);
  return inlines.filter(({ type }) => type === "image").length;
}

test("images become links", () => {
  expect(withoutImages("![a](https://x/y.png) and ![b][ref] and wow!")).toBe(
    "[a](https://x/y.png) and [b][ref] and wow!",
  );
});

test.each([
  { text: "a\n b\t c ", line: "a b c" },
  { text: "abcdefghijkl", line: "abcdefghi…" },
  { text: "x\u202ey\u0000z", line: "x\\u{202e}…" },
  { text: "12345678😀0", line: "12345678…" },
])("$text becomes the line $line", ({ text, line }) => {
  expect(plainLine(text, 10)).toBe(line);
});

test("a code span holds any text on one line", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("`", "a", " ", "\n", "*", "]"), minLength: 1 }), (text) => {
      const line = plainLine(text, 100);
      fc.pre(line !== "");
      const [paragraph] = new MarkdownIt()
        .parse(`x ${inlineCode(text, 100)} y`, {})
        .filter(({ type }) => type === "inline");
      const code = paragraph?.children?.filter(({ type }) => type === "code_inline").map(({ content }) => content);
      expect(code?.map((content) => content.trim())).toEqual([line]);
    }),
  );
});

test.each([
  ["emoji of several parts", "\u{1f469}\u{1f3fd}\u200d\u{1f680} and \u{1f3f3}\ufe0f\u200d\u{1f308}", true],
  ["Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", true],
  ["Latin letters", ".g\u200cit", false],
  ["an emoji and a letter", "\u{1f680}\u200dx", false],
])("a zero-width joiner in %s is kept where the script needs it", (_where, text, isShown) => {
  expect(plainLine(text, 100) === text).toBe(isShown);
});
