import type { types } from "@slack/bolt";
import { z } from "zod";
import type { OutgoingMessage } from "../../../core/platform/outgoing.ts";
import { privateMessage } from "../../../core/platform/replies.ts";
import type { ThreadRef } from "../../../core/platform/thread.ts";
import { toAppError } from "../../../core/protocol/errors.ts";
import { explain } from "../../../core/protocol/explain.ts";
import { callSlack, POSTING_RESTRICTED, slackErrorName, toPlatformError } from "../errors.ts";
import { formatMessage, type SlackBody } from "../format.ts";
import { upload } from "../messages.ts";
import type { SlackWeb } from "../web.ts";
import type { RepliedThreads } from "./replied-threads.ts";
import { respond } from "./response-url.ts";

export interface EphemeralScope {
  readonly web: SlackWeb;
  readonly replied: RepliedThreads;
}

export interface PrivateMessage {
  readonly userId: string;
  readonly message: OutgoingMessage;
}

const WRITING = "write to you privately";

/** The person or the bot is not in the channel, or the thread is gone or closed; a direct message still works. */
const NOT_IN_THREAD = new Set([
  "user_not_in_channel",
  "channel_not_found",
  "not_in_channel",
  "is_archived",
  "channel_is_archived",
  "thread_not_found",
  "invalid_thread_ts",
  "cannot_reply_to_message",
  "ekm_access_denied",
  ...POSTING_RESTRICTED,
]);

/** Posts a private message; as a direct message if the thread cannot show it. Files always go to direct messages. */
export async function postEphemeral(
  { web, replied }: EphemeralScope,
  thread: ThreadRef,
  to: PrivateMessage,
): Promise<void> {
  const body = await bodyInThread({ web, replied }, thread, to.message);
  try {
    await web.chat.postEphemeral({ channel: thread.channelId, user: to.userId, ...body });
  } catch (error) {
    if (!NOT_IN_THREAD.has(slackErrorName(error) ?? "")) throw toPlatformError(error, WRITING);
    const direct = { channelId: await directChannel(web, to.userId), threadId: null };
    await writeDirectly(web, direct, formatMessage(withFilesNote(to.message)));
  }
  await sendFilesPrivately(web, thread, to);
}

/** Answers a person's click or message; `url` is the payload's response URL, or null. */
export async function answerPrivately(
  posting: EphemeralScope,
  thread: ThreadRef,
  { url, ...to }: PrivateMessage & { readonly url: URL | null },
): Promise<void> {
  if (url !== null && (await respond(url, await bodyInThread(posting, thread, to.message))))
    await sendFilesPrivately(posting.web, thread, to);
  else await postEphemeral(posting, thread, to);
}

/** Places a message in the thread, or in the channel if the thread has no replies; its buttons then name the thread. */
async function bodyInThread({ web, replied }: EphemeralScope, thread: ThreadRef, message: OutgoingMessage) {
  const { threadId } = thread;
  const body = formatMessage(withFilesNote(message));
  if (threadId === null) return body;
  if (await replied.has(web, thread)) return { ...body, thread_ts: threadId };
  return { ...body, blocks: body.blocks.map((block) => aboutThread(block, threadId)) };
}

function aboutThread(block: types.KnownBlock, value: string): types.KnownBlock {
  if (block.type !== "actions") return block;
  return {
    ...block,
    elements: block.elements.map((element) => (element.type === "button" ? { ...element, value } : element)),
  };
}

/** Notes where the files are, because Slack shows files privately only in direct messages. */
export function withFilesNote(message: OutgoingMessage): OutgoingMessage {
  const [first, ...more] = message.files;
  if (first === undefined) return message;
  const what = more.length === 0 ? `${first.name} is` : `${first.name} and ${more.length} more are`;
  const note = `${what} in our direct messages.`;
  return { ...message, footer: message.footer === undefined ? note : `${message.footer} · ${note}` };
}

/** Sends the files of a private message as direct messages, in the thread if that is one; or says there why not. */
export async function sendFilesPrivately(
  web: SlackWeb,
  thread: ThreadRef,
  { userId, message: { files } }: PrivateMessage,
): Promise<void> {
  if (files.length === 0) return;
  const channelId = await directChannel(web, userId);
  const direct = channelId === thread.channelId ? thread : { ...thread, channelId, threadId: null };
  try {
    for (const file of files) await upload(web, direct, file);
  } catch (error) {
    // Their message says that they are here.
    await writeDirectly(web, direct, formatMessage(privateMessage(explain(toAppError(error)))));
    throw error;
  }
}

export async function directChannel(web: SlackWeb, userId: string): Promise<string> {
  return callSlack(WRITING, async () => {
    const { channel } = await web.conversations.open({ users: userId });
    return z.object({ id: z.string() }).parse(channel).id;
  });
}

type DirectThread = Pick<ThreadRef, "channelId" | "threadId">;

async function writeDirectly(web: SlackWeb, { channelId, threadId }: DirectThread, body: SlackBody): Promise<void> {
  const { postMessage: send } = web.chat;
  const place = threadId === null ? { channel: channelId } : { channel: channelId, thread_ts: threadId };
  await callSlack(WRITING, () => send({ ...place, ...body, unfurl_links: false, unfurl_media: false }));
}
