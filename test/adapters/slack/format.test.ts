import { expect, test } from "vitest";
import { answerParts } from "../../../src/adapters/render/answer-parts.ts";
import { formatMessage } from "../../../src/adapters/slack/format.ts";
import { SLACK_LIMITS } from "../../../src/adapters/slack/limits.ts";
import { plainMessage } from "../../contracts/platform-steps.ts";
import { checkMessage } from "../../support/slack/slack-blocks.ts";

function check(message: ReturnType<typeof formatMessage>): string | null {
  return checkMessage({ text: message.text, blocks: JSON.stringify(message.blocks) }, { maxTextChars: 4_000 });
}

test("text, footer and buttons become a markdown, a context and an actions block", () => {
  const message = plainMessage("**Run a command?**", {
    footer: "expires in 60 min & <soon>",
    buttons: [
      { id: "allow", label: "Allow once", style: "primary" },
      { id: "deny", label: "Deny", style: "danger" },
      { id: "details", label: "Details", style: "default" },
    ],
  });
  const button = (action_id: string, text: string) => ({
    type: "button",
    action_id,
    text: { type: "plain_text", text, emoji: true },
  });
  expect(formatMessage(message)).toEqual({
    text: "Run a command?",
    blocks: [
      { type: "markdown", text: "**Run a command?**" },
      { type: "context", elements: [{ type: "mrkdwn", text: "expires in 60 min &amp; &lt;soon&gt;" }] },
      {
        type: "actions",
        elements: [
          { ...button("allow", "Allow once"), style: "primary" },
          { ...button("deny", "Deny"), style: "danger" },
          button("details", "Details"),
        ],
      },
    ],
  });
});

test.each([
  { tone: "error", markdown: "✗ It failed ✗", shown: "❌ It failed ✗" },
  { tone: "task", markdown: "→ **explore**: look → there", shown: "➡️ **explore**: look → there" },
  { tone: "plain", markdown: "✗ as someone wrote", shown: "✗ as someone wrote" },
  { tone: "error", markdown: "A word without a sign", shown: "A word without a sign" },
] as const)("a message of tone $tone is marked by an emoji: $shown", ({ tone, markdown, shown }) => {
  expect(formatMessage(plainMessage(markdown, { tone }))).toMatchObject({
    text: markdown.replaceAll("**", ""),
    blocks: [{ type: "markdown", text: shown }],
  });
});

test.each([
  ["a sign before the mark and a letter behind it", "**\u6ce8\u610f:**\u6b21", "**\u6ce8\u610f:\u200b**\u6b21"],
  ["signs on both sides", "\u542b**\u300c\u91cd\u300d**\u5185", "\u542b**\u200b\u300c\u91cd\u300d\u200b**\u5185"],
  ["a sign of such a script", "**70%**\u3001", "**70%\u200b**\u3001"],
  ["a space", "**Note:** read (**this!**).", "**Note:** read (**this!**)."],
  ["letters alone", "\u8fd9\u662f**\u7c97\u4f53**\u6587\u5b57", "\u8fd9\u662f**\u7c97\u4f53**\u6587\u5b57"],
  ["arguments", "f(**a) and g(**b)", "f(**a) and g(**b)"],
  ["powers", "x**(1/2) + y**(1/3)", "x**(1/2) + y**(1/3)"],
  ["code", "`**a:**b`\n```\n**a:**b\n```", "`**a:**b`\n```\n**a:**b\n```"],
])("bold text next to %s is bold, and no other text", (_what, markdown, shown) => {
  expect(formatMessage(plainMessage(markdown)).blocks).toEqual([{ type: "markdown", text: shown }]);
});

test.each([
  { name: "headings", markdown: "## Heading\n\ntext\n\n".repeat(80) },
  { name: "rules", markdown: "text\n\n---\n\n".repeat(80) },
  { name: "tables", markdown: "text\n\n| a |\n|---|\n| 1 |\n\n".repeat(80) },
  { name: "tables alone", markdown: "| a |\n|---|\n| 1 |\n\n".repeat(80) },
  { name: "headings and code", markdown: "# Heading\n```sh\n# comment\n\n---\n```\n".repeat(80) },
  { name: "headings alone", markdown: "### Heading\n".repeat(300) },
])("an answer with many $name is split into messages that Slack accepts, without loss", ({ markdown }) => {
  const buttons = [{ id: "details", label: "Details", style: "default" as const }];
  const parts = answerParts({ markdown, footer: "✓ 3 turns", tone: "plain", buttons }, SLACK_LIMITS);
  expect(parts.map((part) => check(formatMessage(part)))).toEqual(parts.map(() => null));
  expect(
    parts
      .map((part) => part.markdown)
      .join("\n")
      .replaceAll(/\s+/gu, " "),
  ).toBe(markdown.replaceAll(/\s+/gu, " ").trim());
});

test.each([
  { name: "very long", markdown: "a & b ".repeat(10_000) },
  { name: "all mentions", markdown: "@everyone <!channel> ".repeat(1_000) },
  { name: "empty", markdown: "" },
  { name: "white space", markdown: " \n " },
  { name: "characters of two units", markdown: "😀".repeat(9_000) },
])("a text that is $name still makes a message that Slack accepts", ({ markdown }) => {
  const buttons = Array.from({ length: 30 }, (_, n) => ({
    id: `b${n}`,
    label: "l".repeat(100),
    style: "default" as const,
  }));
  const message = formatMessage(plainMessage(markdown, { footer: "&".repeat(3_000), buttons }));
  expect(check(message)).toBeNull();
  expect(message.text.isWellFormed()).toBe(true);
  expect(message.text).not.toMatch(/&[a-z]*…$/u);
  expect(JSON.stringify(message)).not.toMatch(/@everyone|<!channel/u);
});
