import type { OutgoingFile, OutgoingMessage, PostedMessage } from "../../core/platform/outgoing.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import { PlatformError } from "../../core/protocol/errors.ts";
import { SLACK } from "./descriptor.ts";
import { callSlack, slackErrorName, toPlatformError } from "./errors.ts";
import { formatMessage } from "./format.ts";
import { CLOCK_SKEW_MS } from "./limits.ts";
import { commentOf } from "./message/comment.ts";
import { pages, type ThreadReader } from "./message/history.ts";
import { type Node, nodesIn, textOf } from "./message/node.ts";
import { share, type Uploaded, type Uploads } from "./message/uploads.ts";
import type { SlackWeb } from "./web.ts";
import { type HistoryMessage, tsToMs } from "./wire.ts";

/** Event type of the metadata by which `find` recognises the bot's posts; the key is in its payload. */
const KEY_EVENT_TYPE = "deckhand_post";

/** Slack's emoji names of the signs. */
const SIGNS = { seen: "white_check_mark", working: "hourglass_flowing_sand" } as const;

function postedMessage(channelId: string, ts: string | undefined): PostedMessage {
  if (ts === undefined) {
    throw new PlatformError("platform_failed", "Slack names no ts for the message", {
      detail: { platform: SLACK.title },
    });
  }
  return { platform: SLACK.name, channelId, messageId: ts };
}

export interface Sent {
  readonly message: OutgoingMessage;
  readonly key: string;
  readonly uploads: Uploads;
}

/**
 * Posts a message. Its files are shared with the message as their comment if possible, and otherwise before it, so that
 * a post found again after a crash has its files. A retry does not share them again.
 */
export async function post(web: SlackWeb, thread: ThreadRef, sent: Sent): Promise<PostedMessage> {
  const { message, key, uploads } = sent;
  // The root of a new thread needs a ts, which an upload does not return.
  const comment = thread.threadId === null ? null : commentOf(message);
  if (comment !== null) return postAsComment(web, thread, { ...sent, comment });
  await shareFilesFirst(web, thread, sent);
  const { postMessage: send } = web.chat;
  const { ts, message: stands } = await callSlack("write here", () =>
    send({
      channel: thread.channelId,
      ...(thread.threadId === null ? {} : { thread_ts: thread.threadId }),
      ...formatMessage(message),
      metadata: { event_type: KEY_EVENT_TYPE, event_payload: { key } },
      unfurl_links: false,
      unfurl_media: false,
    }),
  );
  uploads.forget(key);
  const posted = postedMessage(thread.channelId, ts);
  const { channelId, threadId } = thread;
  if (threadId !== null && stands?.thread_ts === undefined && (await isGone(web, channelId, threadId)))
    await deleteMisplacedReply(web, posted);
  return posted;
}

/** Confirms that the thread is gone, since the response to the post is not proof enough to delete the reply. */
async function isGone(web: SlackWeb, channel: string, ts: string): Promise<boolean> {
  try {
    await web.conversations.replies({ channel, ts, limit: 1 });
    return false;
  } catch (error) {
    return slackErrorName(error) === "thread_not_found";
  }
}

/** Deletes a reply that Slack posted in the channel, as it silently does if the root of the thread was deleted. */
async function deleteMisplacedReply(
  web: SlackWeb,
  { channelId: channel, messageId: ts }: PostedMessage,
): Promise<never> {
  await callSlack("delete my messages", () => web.chat.delete({ channel, ts }));
  throw new PlatformError("thread_gone", "the root of the thread is deleted", { detail: { platform: SLACK.title } });
}

/** Posts files with a comment. Comments carry no key, so a message with the same text and files counts as this post. */
async function postAsComment(
  web: SlackWeb,
  thread: ThreadRef,
  { message: { files }, key, uploads, comment }: Sent & { readonly comment: string },
): Promise<PostedMessage> {
  const posted = uploads.posted(key, comment, files);
  const messageId = posted?.ts ?? (await share(web, thread, { files, comment }));
  uploads.forget(key);
  return postedMessage(thread.channelId, messageId);
}

async function shareFilesFirst(web: SlackWeb, thread: ThreadRef, { message, key, uploads }: Sent): Promise<void> {
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
  await callSlack("edit my messages", () =>
    web.chat.update({ channel: posted.channelId, ts: posted.messageId, ...formatMessage(message) }),
  );
}

/** Shares a file. The handle names the file, since uploads are not edited. */
export async function upload(web: SlackWeb, thread: ThreadRef, file: OutgoingFile): Promise<PostedMessage> {
  return postedMessage(thread.channelId, await share(web, thread, { files: [file] }));
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

/** Finds a post by its key. If there is none, notes in `uploads` which of its files already exist. */
export async function find(
  { web, identity, log }: Pick<ThreadReader, "web" | "identity" | "log">,
  thread: ThreadRef,
  { key, since, uploads }: { readonly key: string; readonly since: number; readonly uploads: Uploads },
): Promise<PostedMessage | null> {
  const oldest = String((since - CLOCK_SKEW_MS) / 1_000);
  const own: HistoryMessage[] = [];
  for await (const page of pages({ web, log }, thread, oldest)) {
    const found = page.find((message) => isPost(message) && message.metadata?.event_payload?.key === key);
    if (found !== undefined) return postedMessage(thread.channelId, found.ts);
    own.push(...page.filter(({ user, ts }) => user === identity.userId && tsToMs(ts) >= since));
  }
  const bearers = own.map(({ ts, text, files }) => ({ ts, text: text ?? "", files: nodesIn(files).map(uploadedAs) }));
  const shared = bearers.filter(({ files }) => files.length > 0);
  // Files before the last post may belong to it. Sharing a file twice is better than losing it.
  const lastPost = Math.max(0, ...own.filter(isPost).map(({ ts }) => Number(ts)));
  const withoutPost = shared.filter(({ ts, text }) => text === "" && Number(ts) > lastPost);
  uploads.noteFound(
    key,
    shared,
    withoutPost.flatMap(({ files }) => files),
  );
  return null;
}

function uploadedAs({ name, size }: Node): Uploaded {
  return { name: textOf(name), size: typeof size === "number" ? size : 0 };
}

function isPost({ metadata }: HistoryMessage): boolean {
  return metadata?.event_type === KEY_EVENT_TYPE;
}
