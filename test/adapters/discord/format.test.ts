import { expect, test } from "vitest";
import { formatEdit, formatPost, postKey, threadName, withoutMark } from "../../../src/adapters/discord/format.ts";
import { DISCORD_LIMITS } from "../../../src/adapters/discord/limits.ts";
import { answerParts } from "../../../src/adapters/render/answer-parts.ts";
import type { Button, OutgoingMessage } from "../../../src/core/platform/outgoing.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import { plainMessage } from "../../contracts/platform-steps.ts";

const thread: ThreadRef = { platform: "discord", workspaceId: "1", channelId: "2", threadId: "3" };
const key = postKey(thread, "run_1:answer:0");

function button(id: string, style: Button["style"] = "default"): Button {
  return { id, label: id, style };
}

test("nonce and marker depend only on the key and the thread, and differ between them", () => {
  expect(postKey(thread, "run_1:answer:0")).toEqual(key);
  const others = [
    postKey(thread, "run_1:answer:1"),
    postKey({ ...thread, threadId: "4" }, "run_1:answer:0"),
    postKey({ ...thread, threadId: null }, "run_1:answer:0"),
  ];
  expect(new Set([key, ...others].map(({ nonce }) => nonce)).size).toBe(4);
  expect(new Set([key, ...others].map(({ mark }) => mark)).size).toBe(4);
  expect(key.nonce.length).toBeLessThanOrEqual(25);
});

test("a post contains an invisible marker; an edit contains none", () => {
  const posted = formatPost(plainMessage("Done."), key);
  expect(posted).toMatchObject({ nonce: key.nonce, enforce_nonce: true });
  expect(posted.content).toBe(`Done.${key.mark}`);
  expect(withoutMark(posted.content)).toBe("Done.");
  expect(key.mark).toMatch(/^[\u200b\u200c]{48}$/u);
  expect(formatEdit(plainMessage("Done."))).not.toHaveProperty("nonce");
  expect(formatEdit(plainMessage("Done.")).content).toBe("Done.");
});

test("a marker of another post is removed from the text", () => {
  const copied = `Done.${postKey(thread, "run_0:answer").mark} Again.`;
  expect(formatEdit(plainMessage(copied)).content).toBe("Done. Again.");
});

test.each<[string, Partial<OutgoingMessage>, string]>([
  ["plain", { markdown: "**9090**" }, "**9090**"],
  ["with a footer", { markdown: "Done.", footer: "✓ 3 turns" }, "Done.\n-# ✓ 3 turns"],
  ["with a footer of two lines", { markdown: "Done.", footer: "one\n\ntwo" }, "Done.\n-# one\n-# two"],
  ["a footer alone", { markdown: "", footer: "✓ 3 turns" }, "-# ✓ 3 turns"],
  ["nothing at all", { markdown: "" }, "…"],
  ["an error", { markdown: "✗ no", tone: "error" }, "```ansi\n\u001b[0;31m✗ no\u001b[0m\n```"],
  ["a task", { markdown: "read", tone: "task" }, "```ansi\n\u001b[0;36mread\u001b[0m\n```"],
  [
    "a task whose Markdown a code block would show",
    { markdown: "→ **worker**: move `a.txt` and ``b`c``", tone: "task" },
    "```ansi\n\u001b[0;36m→ worker: move a.txt and b`c\u001b[0m\n```",
  ],
  [
    "a task with stars and backticks that mark nothing",
    { markdown: "→ **worker**: src/**/a.ts, test/**/b.ts and 2 ** 3 ** 4, a ` alone", tone: "task" },
    "```ansi\n\u001b[0;36m→ worker: src/**/a.ts, test/**/b.ts and 2 ** 3 ** 4, a ` alone\u001b[0m\n```",
  ],
  [
    "an error that tries to leave its block",
    { markdown: "a\u001b[0m```b", tone: "error" },
    "```ansi\n\u001b[0;31ma[0m'''b\u001b[0m\n```",
  ],
])("a message %s reads as expected", (_name, message, content) => {
  expect(formatEdit(plainMessage("", message)).content).toBe(content);
});

test.each<[string, string, string]>([
  ["a heading of a lower level", "#### Next **steps**", "**Next steps**"],
  ["a heading that Discord knows", "### Next", "### Next"],
  ["a rule", "a\n\n---\n\nb", `a\n\n${"\u2500".repeat(12)}\n\nb`],
  ["a fence of tildes", "~~~js title=x\na---\n---\n~~~", "```js\na---\n---\n```"],
  ["a fence within a longer one", "````md\n```sh\nls\n```\n````", "```md\n~~~sh\nls\n~~~\n```"],
  ["backticks within code", "````js\na('```')\n````", "```js\na('`\u200b``')\n```"],
  [
    "code in a list item",
    "1. Run:\n\n   ```py\n   if a:\n     b\n   ```\n2. Look.",
    "1. Run:\n\n```py\nif a:\n  b\n```\n2. Look.",
  ],
  ["a link named by its address", "See [https://a.example/b](https://a.example/b).", "See https://a.example/b."],
  [
    "a link named by another address",
    "[https://a.example](https://b.example)",
    "https://a.example (https://b.example)",
  ],
  ["a link with a title", '[a](https://a.example/b_(c) "d")', "[a](https://a.example/b_(c))"],
  ["an image", "![a](https://a.example/b.png)", "[a](https://a.example/b.png)"],
  [
    "links that are none of the web",
    "[a](src/a.ts) [b](#b) [c@d.example](mailto:c@d.example)",
    "a (src/a.ts) b c@d.example",
  ],
  ["code that looks like a link", "a[b](c.d), e[](f), [g](h)", "a[b](c.d), e[](f), [g](h)"],
  ["bars in a condition", "if a || b, or c || d", String.raw`if a \|\| b, or c \|\| d`],
  ["words that are hidden", "The answer: ||42||", "The answer: ||42||"],
  ["all of these in a code span", "`#### a || b || [c](d)`", "`#### a || b || [c](d)`"],
])("%s is written as Discord draws it", (_what, markdown, content) => {
  expect(formatEdit(plainMessage(markdown)).content).toBe(content);
});

test("a message that is too long for its formatting keeps all of its text", () => {
  const markdown = "---\n".repeat(480);
  expect(formatEdit(plainMessage(markdown)).content).toBe(markdown);
});

test("a message may consist of a file alone", () => {
  const file = { name: "a.txt", mediaType: "text/plain", data: new Uint8Array() };
  expect(formatPost(plainMessage("", { files: [file] }), key).content).toBe(key.mark);
});

test.each<[string, Partial<OutgoingMessage>]>([
  ["letters", { markdown: "x".repeat(5_000) }],
  ["emoji of two units each", { markdown: "😀".repeat(2_500) }],
  ["emoji at an odd place", { markdown: `x${"😀".repeat(2_500)}` }],
  ["a long footer", { markdown: "x".repeat(1_800), footer: "y".repeat(1_000) }],
  ["a footer of many lines", { markdown: "x".repeat(1_800), footer: "y\n".repeat(300) }],
  ["an error", { markdown: "x".repeat(3_000), tone: "error", footer: "z".repeat(500) }],
])("%s never pass Discord's limit, and no character is cut in half", (_name, message) => {
  for (const { content } of [formatPost(plainMessage("", message), key), formatEdit(plainMessage("", message))]) {
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(content.isWellFormed()).toBe(true);
    expect(content).toContain("…");
  }
});

test.each(["plain", "error", "task"] as const)(
  "a message of the maximum size fits in the %s tone, with a footer",
  (tone) => {
    const markdown = "word ".repeat(400).slice(0, DISCORD_LIMITS.messageChars);
    const message = plainMessage(markdown, { tone, footer: "✓ 3 turns · 2 tools · 6 s · $0.004" });
    expect(formatPost(message, key).content).toContain(markdown);
  },
);

test.each([1_400, 1_795])("an answer of %i characters is complete above a long footer", (chars) => {
  const markdown = `${"word ".repeat(400).slice(0, chars)} end`;
  const parts = answerParts({ markdown, footer: "why ".repeat(110), tone: "plain" }, DISCORD_LIMITS);
  const shown = parts.map((part) => formatPost(part, key).content);
  expect(shown.join("").match(/word|end/gu)).toHaveLength(Math.ceil(chars / 5) + 1);
  expect(shown.at(-1)).toContain("why why");
});

test("mentions notify nobody and links are not previewed", () => {
  expect(formatPost(plainMessage("@everyone <@1> <@&2> https://a.example"), key)).toMatchObject({
    allowed_mentions: { parse: [], replied_user: false },
    flags: 4,
  });
});

test.each([
  [0, []],
  [1, [1]],
  [5, [5]],
  [6, [5, 1]],
  [25, [5, 5, 5, 5, 5]],
  [40, [5, 5, 5, 5, 5]],
])("%i buttons are arranged in rows of %j", (count, rows) => {
  const buttons = Array.from({ length: count }, (_, index) => button(`b${index}`));
  const { components } = formatEdit(plainMessage("pick", { buttons }));
  expect(
    components.map((row) => "components" in row && Array.isArray(row.components) && row.components.length),
  ).toEqual(rows);
});

test("a button keeps its id, and a label too long for Discord is cut", () => {
  const buttons = [{ id: "deny:1", label: "x".repeat(100), style: "danger" as const }, button("go", "primary")];
  expect(formatEdit(plainMessage("sure?", { buttons })).components).toEqual([
    {
      type: 1,
      components: [
        { type: 2, style: 4, label: `${"x".repeat(79)}…`, custom_id: "deny:1" },
        { type: 2, style: 1, label: "go", custom_id: "go" },
      ],
    },
  ]);
});

test.each([
  ["change port to 9090 in config.toml", "change port to 9090 in config.toml"],
  ["## Report\nof the day", "Report"],
  ["`rm -rf /` **now**", "rm -rf / now"],
  ["my_file_name.ts", "my_file_name.ts"],
  ["\n\n  🎉 Überraschung\u202e für 張偉  ", "🎉 Überraschung für 張偉"],
  ["👩‍👩‍👧 family plan", "👩‍👩‍👧 family plan"],
  ["!!!", "For Ana"],
  ["**Ana** asks: /skill code-review src/", "Ana asks: code-review src/"],
  ["", "For Ana"],
  ["x".repeat(300), `${"x".repeat(99)}…`],
  [`${"x".repeat(98)}😀😀`, `${"x".repeat(98)}…`],
])("a request reading %j names its thread %j", (text, name) => {
  expect(threadName(text, "Ana")).toBe(name);
  expect(name.length).toBeLessThanOrEqual(100);
});

test("a lone surrogate, which Discord rejects, is replaced", () => {
  const button = { id: "a", label: "b\udc4d", style: "default" } as const;
  const body = formatEdit(plainMessage("c\ud83d d", { footer: "e\udc4d", buttons: [button] }));
  expect(JSON.stringify([body, threadName("f\ud83d", "Ana")])).not.toMatch(/\\ud[89a-f]/iu);
});
