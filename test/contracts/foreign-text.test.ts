import { describe, expect, test } from "vitest";
import { plainText } from "../../src/adapters/slack/message/plain-text.ts";
import { addressedFirst, mentionedIn, readableText, withoutMentionOf } from "../../src/adapters/slack/text.ts";
import { growthOf, HOSTILE_TEXTS, TOLERATED_GROWTH } from "../support/growth.ts";

/** Everything that reads text from outside before, or while, anybody waits for something else. */

const NOBODY = { people: new Map<string, string>(), channels: new Map<string, string>() };

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  "Slack: who is mentioned": mentionedIn,
  "Slack: who is addressed": addressedFirst,
  "Slack: the text without the bot's mention": (text) => withoutMentionOf(text, "U1"),
  "Slack: the text as the model reads it": (text) => readableText(text, NOBODY),
  "Slack: Markdown as words": plainText,
};

describe.each(Object.entries(READERS))("%s", (_name, read) => {
  test.each(Object.entries(HOSTILE_TEXTS))("the work grows with 40,000 characters of %s, no faster", (_text, made) => {
    expect(growthOf(read, made)).toBeLessThan(TOLERATED_GROWTH);
  });
});
