import { expect, test } from "vitest";
import { threadName, withoutMark } from "../../src/adapters/discord/format.ts";
import { type ChannelContext, inboundMessage as readDiscord } from "../../src/adapters/discord/inbound.ts";
import { commandArguments } from "../../src/adapters/discord/interactions/command-arguments.ts";
import { messageSchema } from "../../src/adapters/discord/message/message-schema.ts";
import type { Names } from "../../src/adapters/discord/message/text.ts";
import { typedArgument } from "../../src/adapters/render/local/completing.ts";
import { readFrame } from "../../src/adapters/render/local/frame-session.ts";
import { withoutImages, withoutMentions } from "../../src/adapters/render/markdown/safe-text.ts";
import { splitMarkdown } from "../../src/adapters/render/markdown/splitter.ts";
import { formatMessage } from "../../src/adapters/slack/format.ts";
import { commentOf, comparableText } from "../../src/adapters/slack/message/comment.ts";
import { plainText as slackPlainText } from "../../src/adapters/slack/message/plain-text.ts";
import { addressedFirst, mentionedIn, readableText, withoutMentionOf } from "../../src/adapters/slack/message/text.ts";
import { plainText, renderInline } from "../../src/adapters/web/page/text/markdown.ts";
import { clientFrameSchema } from "../../src/adapters/web/wire.ts";
import { agentAddress } from "../../src/core/command-line/agent-address.ts";
import { firstWord, readArguments } from "../../src/core/command-line/arguments.ts";
import { nearest } from "../../src/core/command-line/nearest.ts";
import { typedCommand } from "../../src/core/command-line/run-command.ts";
import { shellWords } from "../../src/core/command-line/shell-words.ts";
import { CHAT_COMMANDS } from "../../src/core/commands/registry.ts";
import { localCommandIn } from "../../src/core/input/local-command-text.ts";
import { intentOf } from "../../src/core/providers/demo/intent.ts";
import { codeSpans } from "../../src/core/skills/skill-code-spans.ts";
import { readFrontMatter } from "../../src/core/skills/skill-format/skill-front-matter.ts";
import { withoutCredentials } from "../../src/core/text/log-redaction.ts";
import { codeBlock, inlineCode, plainLine, visibleText } from "../../src/core/text/plain-text.ts";
import { blockOf, isAllowedHost, parseHostPattern } from "../../src/core/trust/host-patterns.ts";
import { foreignLine, foreignText } from "../../src/features/mcp/foreign-text.ts";
import { readSchedule } from "../../src/jobs/calendar/schedule.ts";
import { contentOf } from "../../src/tools/network/content.ts";
import { mediaTypeOf } from "../../src/tools/wasm/workspace/media-type.ts";
import { comparableName } from "../../src/tools/wasm/workspace/path-rules.ts";
import { growthOf, HOSTILE_TEXTS, TOLERATED_GROWTH } from "../support/program/growth.ts";
import { plainMessage } from "./platform-steps.ts";

/** Tests of every function that reads foreign text in the main process, where a slow one would block everybody. */

const NOBODY = { people: new Map<string, string>(), channels: new Map<string, string>() };
const nameless = () => undefined;
const NAMES: Names = { botId: "1", isBotRole: () => false, role: nameless, channel: nameless, sound: nameless };
const PLACE: ChannelContext = {
  workspace: { id: "2", name: "guild" },
  channel: { id: "3", name: "ops", kind: "channel" },
  threadId: null,
  opensThreads: true,
};

function discordMessage(content: string) {
  const author = { id: "4", username: "ana" };
  const embeds = [{ description: content, title: content }];
  const fields = { id: "5", channel_id: "3", type: 0, mentions: [], mention_roles: [], attachments: [] };
  return messageSchema.parse({ ...fields, author, content, embeds, timestamp: "2026-01-01T00:00:00Z" });
}

const ANSWER = { ending: "whole", status: 200, statusText: "OK" } as const;

const outgoing = (markdown: string) => ({ lane: "answer", markdown, tone: "plain", buttons: [], files: [] }) as const;

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  "Slack: who is mentioned": mentionedIn,
  "Slack: who is addressed": addressedFirst,
  "Slack: the text without the bot's mention": (text) => withoutMentionOf(text, "U1"),
  "Slack: the text as the model reads it": (text) => readableText(text, NOBODY),
  "Slack: Markdown as words": slackPlainText,
  "Slack: words as the comment of a file": (text) =>
    commentOf(plainMessage(text, { files: [{ name: "a", mediaType: "text/plain", data: new Uint8Array() }] })),
  "Slack: a comment, to be found again": comparableText,
  "Slack: what is posted": (text) => formatMessage(outgoing(text)),
  "Discord: a message with its embeds": (text) =>
    readDiscord(discordMessage(text), PLACE, { names: NAMES, serves: () => true }),
  "Discord: a command's arguments": (text) => commandArguments([{ name: "line", value: text }]),
  "Discord: the name of a thread": (text) => threadName(text, "ana"),
  "Discord: a text without our mark": withoutMark,
  "web: a frame": (text) => readFrame(JSON.stringify({ type: "message", text }), clientFrameSchema),
  "web: a frame that is no JSON": (text) => readFrame(text, clientFrameSchema),
  "web: what is completed": (text) => typedArgument(`/jobs ${text}`, CHAT_COMMANDS),
  "web: words for a screen reader": plainText,
  "web: a line of Markdown": renderInline,
  "mentions in an answer": withoutMentions,
  "images in an answer": withoutImages,
  "an answer in parts": (text) => splitMarkdown(text, 4_000),
  "a line of foreign text": (text) => plainLine(text, 80),
  "visible text": visibleText,
  "code in a line": (text) => inlineCode(text, 80),
  "a block of code": (text) => codeBlock(text, ""),
  "a typed command": (text) => typedCommand(`/${text}`, CHAT_COMMANDS),
  "a command's arguments": (text) => readArguments(text),
  "a command's first word": firstWord,
  "words as a shell has them": shellWords,
  "the nearest command": (text) => nearest(text, ["status", "stop"]),
  "an agent that is addressed": (text) => agentAddress(`@plan${text}`, new Map()),
  "a command of one's own": (text) => localCommandIn(`!ls${text}`),
  "what the demo model understands": (text) => intentOf(`read ${text}`),
  "a schedule": (text) => readSchedule({ cron: text, dueOnce: null, timezone: "UTC" }),
  "a skill's front matter": (text) => readFrontMatter(`---\ndescription: ${text}\n---\nbody`, { mayLeaveOut: true }),
  "a file without front matter": (text) => readFrontMatter(text, { mayLeaveOut: true }),
  "code spans in a skill": codeSpans,
  "an MCP server's text": (text) => foreignText(text, 10_000),
  "an MCP server's line": (text) => foreignLine(text, 200),
  "a fetched page": (text) =>
    contentOf({ ...ANSWER, bytes: Buffer.from(text), headers: { "content-type": "text/html" } }),
  "a host pattern": parseHostPattern,
  "a blocked URL": (text) => blockOf(new URL(`https://example.com/${text}`), ["example.com/admin"]),
  "an allowed host": (text) => isAllowedHost(new URL("https://example.com/"), [text]),
  "what kind of file it is": (text) => mediaTypeOf(Buffer.from(text)),
  "a file's name": comparableName,
  "a line of the log": (text) => withoutCredentials(JSON.stringify({ event: `token=${text}` })),
  "a line of the log that is no JSON": withoutCredentials,
};

test.each(Object.entries(READERS))(
  "%s: the time grows at most linearly with 40,000 characters of hostile text",
  (_name, read) => {
    const growth = Object.entries(HOSTILE_TEXTS).map(([text, made]) => ({ text, growth: growthOf(read, made) }));
    expect(growth.filter((of) => of.growth >= TOLERATED_GROWTH)).toEqual([]);
  },
);

test("the time to check a blocked URL grows at most linearly with repeated percent-encoding", () => {
  const read = (text: string) =>
    blockOf(new URL(`https://example.com/%${text}61dmin/%2e%2e%2f`), ["example.com/admin"]);
  const growth = growthOf(read, (length) => "25".repeat(length));
  expect(growth).toBeLessThan(TOLERATED_GROWTH);
});
