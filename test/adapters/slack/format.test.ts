import { expect, test } from "vitest";
import { formatMessage } from "../../../src/adapters/slack/format.ts";
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
] as const)("a message of tone $tone has its sign in colour: $shown", ({ tone, markdown, shown }) => {
  expect(formatMessage(plainMessage(markdown, { tone }))).toMatchObject({
    text: markdown.replaceAll("**", ""),
    blocks: [{ type: "markdown", text: shown }],
  });
});

test.each([
  { name: "very long", markdown: "a & b ".repeat(10_000) },
  { name: "all mentions", markdown: "@everyone <!channel> ".repeat(1_000) },
  { name: "empty", markdown: "" },
  { name: "white space", markdown: " \n " },
  { name: "characters of two units", markdown: "😀".repeat(9_000) },
])("a text that is $name still makes a message that Slack takes", ({ markdown }) => {
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
