import { PlatformError } from "../../core/protocol/errors.ts";
import type { OutgoingFile, OutgoingMessage, PostedMessage, ThreadRef } from "../../core/protocol/platform.ts";
import { SLACK } from "./descriptor.ts";
import { asking, slackErrorName, toPlatformError } from "./errors.ts";
import { formatMessage } from "./format.ts";
import { CLOCK_SKEW_MS } from "./limits.ts";
import { commentOf } from "./message/comment.ts";
import { pages, type ThreadReader } from "./message/history.ts";
import { type Node, nodesIn, words } from "./message/node.ts";
import { share, type Uploaded, type Uploads } from "./message/uploads.ts";
import type { SlackWeb } from "./web.ts";
import { type HistoryMessage, tsToMs } from "./wire.ts";

/** Metadata that `find` reads back; the key is in the payload. */
const KEY_EVENT_TYPE = "deckhand_post";

/** Slack's names of the signs. */
const SIGNS = { seen: "white_check_mark", working: "hourglass_flowing_sand" } as const;

function handle(channelId: string, ts: string | undefined): PostedMessage {
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
  const { ts, message: stands } = await asking("write here", () =>
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
  const posted = handle(thread.channelId, ts);
  const { channelId, threadId } = thread;
  if (threadId !== null && stands?.thread_ts === undefined && (await isGone(web, channelId, threadId)))
    await takeBack(web, posted);
  return posted;
}

/** What Slack says of a reply alone is not enough to take it back. */
async function isGone(web: SlackWeb, channel: string, ts: string): Promise<boolean> {
  try {
    await web.conversations.replies({ channel, ts, limit: 1 });
    return false;
  } catch (error) {
    return slackErrorName(error) === "thread_not_found";
  }
}

/** Where the root of the thread is deleted, Slack puts into the channel what was to be a reply, and answers as ever. */
async function takeBack(web: SlackWeb, { channelId: channel, messageId: ts }: PostedMessage): Promise<never> {
  await asking("delete my messages", () => web.chat.delete({ channel, ts }));
  throw new PlatformError("thread_gone", "the root of the thread is deleted", { detail: { platform: SLACK.title } });
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
  await asking("edit my messages", () =>
    web.chat.update({ channel: posted.channelId, ts: posted.messageId, ...formatMessage(message) }),
  );
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
  { web, identity, log }: Pick<ThreadReader, "web" | "identity" | "log">,
  thread: ThreadRef,
  { key, since, uploads }: { readonly key: string; readonly since: number; readonly uploads: Uploads },
): Promise<PostedMessage | null> {
  const oldest = String((since - CLOCK_SKEW_MS) / 1_000);
  const own: HistoryMessage[] = [];
  for await (const page of pages({ web, log }, thread, oldest)) {
    const found = page.find((message) => isPost(message) && message.metadata?.event_payload?.key === key);
    if (found !== undefined) return handle(thread.channelId, found.ts);
    own.push(...page.filter(({ user, ts }) => user === identity.userId && tsToMs(ts) >= since));
  }
  const bearers = own.map(({ ts, text, files }) => ({ ts, text: text ?? "", files: nodesIn(files).map(uploadedAs) }));
  const shared = bearers.filter(({ files }) => files.length > 0);
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

function uploadedAs({ name, size }: Node): Uploaded {
  return { name: words(name), size: typeof size === "number" ? size : 0 };
}

function isPost({ metadata }: HistoryMessage): boolean {
  return metadata?.event_type === KEY_EVENT_TYPE;
}
