import type { PostedMessage, ThreadMessage, ThreadRef } from "../../core/protocol/platform.ts";
import { unlessDiscord } from "./errors.ts";
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
  /** Milliseconds since the epoch, by our clock. */
  readonly since: number;
  readonly botId: string;
}

/** Our own message under the key, among those since the intent was written; null when there is none. */
export async function findPost(
  rest: DiscordRest,
  { thread, key, since, botId }: Search,
): Promise<PostedMessage | null> {
  const channelId = channelOf(thread);
  let after = idAt(since - CLOCK_SKEW_MS);
  for (let page = 0; page < FIND_PAGES; page += 1) {
    const asked = rest.messages(channelId, { limit: PAGE_MESSAGES, after });
    // A thread that does not exist yet has no messages.
    const messages = (await unlessDiscord(["unknownChannel"], asked)) ?? [];
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
  /** The root counts. */
  readonly limit: number;
  readonly namesIn: NamesIn;
  /** What a forum's post is about. */
  readonly topic?: string | undefined;
  /** What the thread is called, asked where no message of it says what it is about. */
  readonly title: () => Promise<string>;
  readonly signal: AbortSignal;
}

/** The thread's root and its newest messages, oldest first. */
export async function readThread(rest: DiscordRest, reading: HistoryArgs): Promise<readonly ThreadMessage[]> {
  const { limit, namesIn, thread } = reading;
  const root = await rootOf(rest, reading);
  const newest: ThreadMessage[] = [];
  const wanted = root === null ? limit : limit - 1;
  let before: string | undefined;
  while (newest.length < wanted) {
    const part = { limit: PAGE_MESSAGES, ...(before === undefined ? {} : { before }) };
    const asked = rest.messages(channelOf(thread), part, reading.signal);
    const page = (await unlessDiscord(["unknownChannel"], asked)) ?? [];
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

/** Whoever began the thread has named it, perhaps not its first speaker. */
async function titled(messages: readonly ThreadMessage[], { title }: HistoryArgs): Promise<readonly ThreadMessage[]> {
  const [first, ...rest] = messages;
  const name = first === undefined ? "" : await title();
  return first === undefined || name === ""
    ? messages
    : [{ ...first, text: `${name}\n${first.text}`, isQuoting: true }, ...rest];
}

/** Null for threads that nothing was said to begin, and when it was deleted. */
async function rootOf(
  rest: DiscordRest,
  { thread, namesIn, topic, signal }: HistoryArgs,
): Promise<ThreadMessage | null> {
  if (thread.threadId === null) return null;
  const root = await messageIn(rest, { thread, messageId: thread.threadId }, signal);
  return root === null ? null : threadMessage(root, await namesIn([root], thread.workspaceId), topic);
}

/**
 * A message of the thread; what it begins with is in the channel, for a thread made from a message, and in the thread, for a
 * forum's post. Null when it is gone.
 */
export async function messageIn(
  rest: Pick<DiscordRest, "message">,
  { thread, messageId }: { readonly thread: ThreadRef; readonly messageId: string },
  signal: AbortSignal,
): Promise<WireMessage | null> {
  const places = messageId === thread.threadId ? [thread.channelId, thread.threadId] : [channelOf(thread)];
  for (const channelId of places) {
    const found = await unlessDiscord(NOT_THERE, rest.message(channelId, messageId, signal));
    if (found !== null) return found;
  }
  return null;
}

/** The message is in another place, or nowhere. */
export const NOT_THERE = ["unknownMessage", "unknownChannel", "wrongChannelType"] as const;
