import type { ThreadMessage } from "../../core/platform/chat-platform.ts";
import type { PostedMessage } from "../../core/platform/outgoing.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import { nullOnDiscordError } from "./errors.ts";
import type { PostKey } from "./format.ts";
import { CLOCK_SKEW_MS, FIND_PAGES, PAGE_MESSAGES } from "./limits.ts";
import type { WireMessage } from "./message/message-schema.ts";
import type { NamesIn } from "./message/named-people.ts";
import { threadMessage } from "./message/read-message.ts";
import type { DiscordRest } from "./rest.ts";
import { idAt } from "./snowflake.ts";
import { channelOf } from "./threads.ts";

export interface Search {
  readonly thread: ThreadRef;
  readonly key: PostKey;
  /** In milliseconds since the epoch, by the local clock. */
  readonly since: number;
  readonly botId: string;
}

/** Finds the bot's message with this key among those since the intent was written; null if there is none. */
export async function findPost(
  rest: DiscordRest,
  { thread, key, since, botId }: Search,
): Promise<PostedMessage | null> {
  const channelId = channelOf(thread);
  let after = idAt(since - CLOCK_SKEW_MS);
  for (let page = 0; page < FIND_PAGES; page += 1) {
    const asked = rest.messages(channelId, { limit: PAGE_MESSAGES, after });
    // A thread that does not exist yet has no messages.
    const messages = (await nullOnDiscordError(["UnknownChannel"], asked)) ?? [];
    const found = messages.find((message) => message.author.id === botId && isUnder(key, message));
    if (found !== undefined) return { platform: "discord", channelId, messageId: found.id };
    const newest = messages.at(0);
    if (newest === undefined || messages.length < PAGE_MESSAGES) return null;
    after = newest.id;
  }
  return null;
}

function isUnder(key: PostKey, message: WireMessage): boolean {
  return message.nonce === key.nonce || message.content.includes(key.mark);
}

export interface HistoryArgs {
  readonly thread: ThreadRef;
  /** Includes the root. */
  readonly limit: number;
  readonly namesIn: NamesIn;
  /** Title and tags of a forum post. */
  readonly topic?: string | undefined;
  /** The thread's title, looked up only if the thread has no root. */
  readonly title: () => Promise<string>;
  readonly signal: AbortSignal;
}

/** The thread's root and newest messages, oldest first. */
export async function readThread(rest: DiscordRest, reading: HistoryArgs): Promise<readonly ThreadMessage[]> {
  const { limit, namesIn, thread } = reading;
  const root = await rootOf(rest, reading);
  const newest: ThreadMessage[] = [];
  const wanted = root === null ? limit : limit - 1;
  let before: string | undefined;
  while (newest.length < wanted) {
    const part = { limit: PAGE_MESSAGES, ...(before === undefined ? {} : { before }) };
    const asked = rest.messages(channelOf(thread), part, reading.signal);
    const page = (await nullOnDiscordError(["UnknownChannel"], asked)) ?? [];
    const names = await namesIn(page, thread.workspaceId);
    for (const message of page) {
      const read = threadMessage(message, names);
      // The thread begins with a notice that repeats its root.
      if (read !== null && read.messageId !== root?.messageId && newest.length < wanted) newest.unshift(read);
    }
    before = page.at(-1)?.id;
    if (before === undefined || page.length < PAGE_MESSAGES) break;
  }
  return root === null ? titled(newest, reading) : [root, ...newest];
}

/** Adds the thread's title to its first message. The author of either need not be that of the other. */
async function titled(messages: readonly ThreadMessage[], { title }: HistoryArgs): Promise<readonly ThreadMessage[]> {
  const [first, ...rest] = messages;
  const name = first === undefined ? "" : await title();
  return first === undefined || name === ""
    ? messages
    : [{ ...first, text: `${name}\n${first.text}`, isQuoting: true }, ...rest];
}

/** The message that began the thread; null if there was none, or it was deleted. */
async function rootOf(
  rest: DiscordRest,
  { thread, namesIn, topic, signal }: HistoryArgs,
): Promise<ThreadMessage | null> {
  if (thread.threadId === null) return null;
  const root = await messageIn(rest, { thread, messageId: thread.threadId }, signal);
  return root === null ? null : threadMessage(root, await namesIn([root], thread.workspaceId), topic);
}

/**
 * Reads a message of a thread. The first one is in the channel if the thread was started from a message, and in the
 * thread if it is a forum post. Null if it is gone.
 */
export async function messageIn(
  rest: Pick<DiscordRest, "message">,
  { thread, messageId }: { readonly thread: ThreadRef; readonly messageId: string },
  signal: AbortSignal,
): Promise<WireMessage | null> {
  const places = messageId === thread.threadId ? [thread.channelId, thread.threadId] : [channelOf(thread)];
  for (const channelId of places) {
    const found = await nullOnDiscordError(MESSAGE_GONE, rest.message(channelId, messageId, signal));
    if (found !== null) return found;
  }
  return null;
}

/** Errors that mean that the message is in another channel, or gone. */
export const MESSAGE_GONE = ["UnknownMessage", "UnknownChannel", "CannotExecuteActionOnThisChannelType"] as const;
