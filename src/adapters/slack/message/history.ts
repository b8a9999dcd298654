import { z } from "zod";
import type { ThreadMessage } from "../../../core/platform/chat-platform.ts";
import type { ThreadRef } from "../../../core/platform/thread.ts";
import type { Log } from "../../../core/protocol/log.ts";
import { plainLine } from "../../../core/text/plain-text.ts";
import { type Directory, SLACKBOT } from "../directory.ts";
import { callSlack, toPlatformError } from "../errors.ts";
import { MAX_PAGES, PAGE_MESSAGES } from "../limits.ts";
import type { Identity, SlackWeb } from "../web.ts";
import { type HistoryMessage, historyMessageSchema, tsToMs } from "../wire.ts";
import { joined, nodesIn, textOf } from "./node.ts";
import { readMessage } from "./read-message.ts";

/** Maximum number of people named for one reaction. */
const REACTED = 3;
/** Maximum number of reactions shown for one message. */
const REACTIONS = 20;
/** Maximum length of a name, of a person or an emoji, in a list of reactions. */
const NAME_CHARS = 64;

export interface ThreadReader {
  readonly web: SlackWeb;
  readonly identity: Identity;
  readonly directory: Directory;
  readonly log: Log;
}

/** The messages of a page. A malformed one is skipped and logged. */
export function messagesIn(page: unknown, log: Log): HistoryMessage[] {
  const found = z.array(z.unknown()).safeParse(page).data ?? [];
  return found.flatMap((each) => {
    const message = historyMessageSchema.safeParse(each);
    if (message.success) return [message.data];
    log.warn({ problems: z.flattenError(message.error).fieldErrors }, "slack_message_passed_over");
    return [];
  });
}

/** Reads one message, which may be a reply, by its ts; null if it is gone. */
export async function messageAt(
  { web, log }: Pick<ThreadReader, "web" | "log">,
  channel: string,
  ts: string,
): Promise<HistoryMessage | null> {
  try {
    const { messages } = await web.conversations.replies({ channel, ts, latest: ts, inclusive: true, limit: 1 });
    return messagesIn(messages, log).find((message) => message.ts === ts) ?? null;
  } catch (error) {
    const failure = toPlatformError(error, "read this message");
    if (failure.code === "thread_gone") return null;
    throw failure;
  }
}

/** Pages of a thread, oldest first; of the channel if there is no thread yet. */
export async function* pages(
  { web, log }: Pick<ThreadReader, "web" | "log">,
  { channelId: channel, threadId: ts }: ThreadRef,
  oldest?: string,
): AsyncGenerator<HistoryMessage[]> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && cursor !== ""; page += 1) {
    const asked = {
      channel,
      limit: PAGE_MESSAGES,
      include_all_metadata: true,
      ...(oldest === undefined ? {} : { oldest }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const { messages, response_metadata } = await callSlack("read this thread", () =>
      ts === null ? web.conversations.history(asked) : web.conversations.replies({ ...asked, ts }),
    );
    cursor = response_metadata?.next_cursor ?? "";
    yield messagesIn(messages, log);
  }
}

/** The thread's root and newest messages, oldest first; without a thread, the channel's newest messages. */
export async function fetchThread(
  reader: ThreadReader,
  thread: ThreadRef,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<ThreadMessage[]> {
  if (thread.threadId === null) return readChannel(reader, thread, limit);
  const read: HistoryMessage[] = [];
  for await (const page of pages(reader, thread)) {
    signal.throwIfAborted();
    read.push(...page);
  }
  const [root, ...replies] = read;
  if (root === undefined) return [];
  const newest = limit > 1 ? replies.slice(-(limit - 1)) : [];
  return Promise.all([root, ...newest].map((message) => threadMessage(reader, message)));
}

/** The newest messages of a channel, reversed because Slack lists the newest first. */
async function readChannel(reader: ThreadReader, { channelId }: ThreadRef, limit: number): Promise<ThreadMessage[]> {
  const asked = { channel: channelId, limit: Math.min(limit, PAGE_MESSAGES) };
  const { messages } = await callSlack("read this channel", () => reader.web.conversations.history(asked));
  const newest = messagesIn(messages, reader.log);
  return Promise.all(newest.toReversed().map((message) => threadMessage(reader, message)));
}

async function threadMessage(reader: ThreadReader, message: HistoryMessage): Promise<ThreadMessage> {
  const { identity, directory } = reader;
  const content = message.user === identity.userId ? ownContent(message) : message;
  const [author, { text, quoted, files }, reactions] = await Promise.all([
    authorOf(message, reader),
    readMessage(content, { directory, botUserId: null }),
    reactionLine(message, reader),
  ]);
  const names = files.map(({ name }) => `[file: ${name}]`);
  return {
    messageId: message.ts,
    author,
    text: joined([text, ...quoted, ...names, reactions]),
    ...(quoted.length === 0 ? {} : { isQuoting: true }),
    attachments: files,
    at: tsToMs(message.ts),
  };
}

/**
 * The reactions of others than the bot, with who reacted if these are few members. People from outside are only counted,
 * since their names would be words of theirs in a message of somebody else.
 */
async function reactionLine(
  { reactions }: HistoryMessage,
  { identity, directory }: Pick<ThreadReader, "identity" | "directory">,
): Promise<string> {
  const shown = nodesIn(reactions)
    .slice(0, REACTIONS)
    .map(async ({ name, users }) => {
      const others = Array.isArray(users) ? users.map(textOf).filter((id) => id !== identity.userId) : [];
      if (others.length === 0) return "";
      const asked = others.length > REACTED ? [] : others.map((id) => directory.person(id).catch(() => null));
      const names = (await Promise.all(asked)).flatMap((person) =>
        person === null || person.isExternal || person.isGuest ? [] : [plainLine(person.name, NAME_CHARS)],
      );
      const who = names.length === others.length ? names.join(", ") : others.length;
      return `:${plainLine(textOf(name), NAME_CHARS)}: ${who}`;
    });
  const line = joined(await Promise.all(shown), "; ");
  return line === "" ? "" : `[reactions: ${line}]`;
}

/** The author. Integrations have the name that they chose, or their app's. */
export async function authorOf(
  { user, bot_id: botId, bot_profile: profile, username, subtype }: HistoryMessage,
  { identity, directory }: Pick<ThreadReader, "identity" | "directory">,
): Promise<ThreadMessage["author"]> {
  const id = user ?? botId ?? "unknown";
  const known = user === undefined ? undefined : (await directory.namesOf([user])).get(user);
  const isOurs = user === identity.userId;
  const isBot = isOurs || (botId ?? "") !== "" || subtype === "bot_message" || user === SLACKBOT;
  const given = isBot && !isOurs ? textOf(username) || textOf(profile?.name) : "";
  return { id: `slack:${id}`, name: given || known || textOf(username) || id, isBot, ...(isOurs ? { isOurs } : {}) };
}

/** The bot's own messages have their full text in markdown blocks; `text` is cut, and other blocks are not content. */
function ownContent({ text, blocks, files }: HistoryMessage): Record<string, unknown> {
  const markdown = nodesIn(blocks).filter(({ type }) => type === "markdown");
  const own = joined(
    markdown.map((block) => textOf(block.text)),
    "\n\n",
  );
  return { text: own || text, files };
}
