import { z } from "zod";
import { PlatformError } from "../../core/protocol/errors.ts";
import type {
  OutgoingFile,
  OutgoingMessage,
  PostedMessage,
  ThreadMessage,
  ThreadRef,
} from "../../core/protocol/platform.ts";
import type { Directory } from "./directory.ts";
import { slackErrorName, toPlatformError } from "./errors.ts";
import { formatMessage, KEY_EVENT_TYPE, metadataOf } from "./format.ts";
import { CLOCK_SKEW_MS, MAX_PAGES, PAGE_MESSAGES } from "./limits.ts";
import { commentOf } from "./message/comment.ts";
import { share, type Uploads } from "./message/uploads.ts";
import { mentionedIn, readableText } from "./text.ts";
import type { Identity, SlackWeb } from "./web.ts";
import { type HistoryMessage, historyMessageSchema, tsToMs } from "./wire.ts";

/** Slack's names of the signs. */
const SIGNS = { seen: "white_check_mark", working: "hourglass_flowing_sand" } as const;

function inThread(thread: ThreadRef): { thread_ts?: string } {
  return thread.threadId === null ? {} : { thread_ts: thread.threadId };
}

function handle(channelId: string, ts: string | undefined): PostedMessage {
  if (ts === undefined) {
    throw new PlatformError("platform_failed", "Slack names no ts for the message", { detail: { platform: "slack" } });
  }
  return { platform: "slack", channelId, messageId: ts };
}

export interface Sent {
  readonly message: OutgoingMessage;
  readonly key: string;
  readonly uploads: Uploads;
}

/**
 * Files come with the message as their comment, where it can be one. Else they come first: a post that is
 * found again after a crash must have them. What is sent again does not bring them again.
 */
export async function post(web: SlackWeb, thread: ThreadRef, sent: Sent): Promise<PostedMessage> {
  const { message, key, uploads } = sent;
  // A message that is to be the root of a thread must be known by its ts.
  const comment = thread.threadId === null ? null : commentOf(message);
  if (comment !== null) return postAsComment(web, thread, { ...sent, comment });
  await bringFiles(web, thread, sent);
  const { postMessage: send } = web.chat;
  try {
    const { ts } = await send({
      channel: thread.channelId,
      ...inThread(thread),
      ...formatMessage(message),
      metadata: metadataOf(key),
      unfurl_links: false,
      unfurl_media: false,
    });
    uploads.forget(key);
    return handle(thread.channelId, ts);
  } catch (error) {
    throw toPlatformError(error, "write here");
  }
}

/** A comment carries no key: what stands there since the post was intended, with its words and files, is the post. */
async function postAsComment(
  web: SlackWeb,
  thread: ThreadRef,
  { message: { files }, key, uploads, comment }: Sent & { readonly comment: string },
): Promise<PostedMessage> {
  const posted = uploads.posted(key, comment, files);
  const messageId = posted?.ts ?? (await share(web, thread, { files, comment }));
  uploads.forget(key);
  return handle(thread.channelId, messageId);
}

async function bringFiles(web: SlackWeb, thread: ThreadRef, { message, key, uploads }: Sent): Promise<void> {
  const there = [...uploads.ahead(key)];
  for (const file of message.files) {
    const known = there.findIndex(({ name, size }) => name === file.name && size === file.data.length);
    if (known >= 0) {
      there.splice(known, 1);
      continue;
    }
    await share(web, thread, { files: [file] });
    uploads.note(key, file);
  }
}

export async function edit(web: SlackWeb, posted: PostedMessage, message: OutgoingMessage): Promise<void> {
  try {
    await web.chat.update({ channel: posted.channelId, ts: posted.messageId, ...formatMessage(message) });
  } catch (error) {
    throw toPlatformError(error, "edit my messages");
  }
}

/** The handle of an upload names the file: uploads are not edited. */
export async function upload(web: SlackWeb, thread: ThreadRef, file: OutgoingFile): Promise<PostedMessage> {
  return handle(thread.channelId, await share(web, thread, { files: [file] }));
}

export async function react(
  web: SlackWeb,
  target: { channel: string; messageId: string },
  sign: keyof typeof SIGNS,
): Promise<void> {
  try {
    await web.reactions.add({ channel: target.channel, timestamp: target.messageId, name: SIGNS[sign] });
  } catch (error) {
    if (slackErrorName(error) !== "already_reacted") throw toPlatformError(error, "react to messages");
  }
}

/** Where the message is not there, what is there of its files is noted in `uploads`. */
export async function find(
  { web, identity }: Pick<ThreadReader, "web" | "identity">,
  thread: ThreadRef,
  { key, since, uploads }: { readonly key: string; readonly since: number; readonly uploads: Uploads },
): Promise<PostedMessage | null> {
  const oldest = String((since - CLOCK_SKEW_MS) / 1_000);
  const own: HistoryMessage[] = [];
  for await (const page of pages(web, thread, { oldest })) {
    const found = page.find((message) => isPost(message) && message.metadata?.event_payload.key === key);
    if (found !== undefined) return handle(thread.channelId, found.ts);
    own.push(...page.filter(({ user, ts }) => user === identity.userId && tsToMs(ts) >= since));
  }
  const shared = own.flatMap(({ ts, text, files }) => (files?.length ? [{ ts, text: text ?? "", files }] : []));
  // What stands before a post may be that post's: better a file twice than one that never comes.
  const lastPost = Math.max(0, ...own.filter(isPost).map(({ ts }) => Number(ts)));
  const withoutPost = shared.filter(({ ts, text }) => text === "" && Number(ts) > lastPost);
  uploads.noteFound(
    key,
    shared,
    withoutPost.flatMap(({ files }) => files),
  );
  return null;
}

function isPost({ metadata }: HistoryMessage): boolean {
  return metadata?.event_type === KEY_EVENT_TYPE;
}

/** Pages of a thread, oldest first; where the thread is still to be opened, of the channel. */
async function* pages(
  web: SlackWeb,
  thread: ThreadRef,
  { oldest }: { oldest?: string },
): AsyncGenerator<HistoryMessage[]> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && cursor !== ""; page += 1) {
    const asked = {
      channel: thread.channelId,
      limit: PAGE_MESSAGES,
      include_all_metadata: true,
      ...(oldest === undefined ? {} : { oldest }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    try {
      const { messages, response_metadata } =
        thread.threadId === null
          ? await web.conversations.history(asked)
          : await web.conversations.replies({ ...asked, ts: thread.threadId });
      cursor = response_metadata?.next_cursor ?? "";
      yield z.array(historyMessageSchema).parse(messages ?? []);
    } catch (error) {
      throw toPlatformError(error, "read this thread");
    }
  }
}

export interface ThreadReader {
  readonly web: SlackWeb;
  readonly identity: Identity;
  readonly directory: Directory;
}

export async function fetchThread(
  reader: ThreadReader,
  thread: ThreadRef,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<ThreadMessage[]> {
  if (thread.threadId === null) return readChannel(reader, thread, limit);
  const read: HistoryMessage[] = [];
  for await (const page of pages(reader.web, thread, {})) {
    signal.throwIfAborted();
    read.push(...page);
  }
  const [root, ...replies] = read;
  if (root === undefined) return [];
  const newest = limit > 1 ? replies.slice(-(limit - 1)) : [];
  return Promise.all([root, ...newest].map((message) => threadMessage(reader, message)));
}

/** The channel's newest messages, oldest first; Slack gives them the other way round. */
async function readChannel(reader: ThreadReader, { channelId }: ThreadRef, limit: number): Promise<ThreadMessage[]> {
  try {
    const { messages } = await reader.web.conversations.history({
      channel: channelId,
      limit: Math.min(limit, PAGE_MESSAGES),
    });
    const newest = z.array(historyMessageSchema).parse(messages ?? []);
    return await Promise.all(newest.toReversed().map((message) => threadMessage(reader, message)));
  } catch (error) {
    throw toPlatformError(error, "read this channel");
  }
}

async function threadMessage({ identity, directory }: ThreadReader, message: HistoryMessage): Promise<ThreadMessage> {
  const userId = message.user ?? message.bot_id ?? "unknown";
  const text = ownMarkdown(message) ?? message.text ?? "";
  const people = await directory.namesOf([userId, ...mentionedIn(text)]);
  const isBot = userId === identity.userId || (message.bot_id !== undefined && message.bot_id !== null);
  return {
    messageId: message.ts,
    author: { id: `slack:${userId}`, name: people.get(userId) ?? message.username ?? userId, isBot },
    text: readableText(text, { people, channels: new Map() }),
    at: tsToMs(message.ts),
  };
}

/** Our own messages keep their whole text in blocks; `text` is cut for notifications. */
function ownMarkdown({ blocks }: HistoryMessage): string | null {
  const texts = (blocks ?? []).flatMap(({ type, text }) =>
    type === "markdown" && typeof text === "string" ? [text] : [],
  );
  return texts.length === 0 ? null : texts.join("\n\n");
}
