import type { PersonMessageEvent } from "../events/session-event.ts";
import type { ChatPlatform, ThreadMessage } from "../platform/chat-platform.ts";
import { toAppError } from "../protocol/errors.ts";
import { explain } from "../protocol/explain.ts";
import type { ContentBlock, Message } from "../protocol/messages.ts";
import type { Ids } from "../protocol/runtime.ts";
import { EMPTY_LABEL, type Label, outsideOf, unionOf } from "../trust/label.ts";
import { type AttachedFileOptions, attachedBlocks } from "./attached-files.ts";
import { labelOfMessage } from "./message-label.ts";

/** Maximum number of earlier messages, including the root, that a session gets from an existing thread. */
const THREAD_MESSAGES = 20;
/** Allowance for messages that may be posted between the request and the reading of the thread. */
const NEW_MESSAGE_ALLOWANCE = 10;
/** Maximum length of text and files together, in characters. About 8,000 tokens. */
const THREAD_CHARS = 28_000;
/** Maximum number of files to fetch, the root's first and then the newest. Others are only named in the text. */
const THREAD_FILES = 5;
/** Maximum length of a document's text, in characters. The sandbox has the whole document. */
const DOCUMENT_CHARS = 10_000;
/** Size that an image counts as, in characters: about 1,600 tokens. Source: Anthropic docs, Vision. */
const IMAGE_CHARS = 5_600;

export interface ThreadContextScope extends AttachedFileOptions {
  readonly platform: Pick<ChatPlatform, "fetchFile" | "fetchThread" | "previews" | "descriptor">;
  readonly ids: Ids;
}

/** The earlier messages of a thread in which somebody has just addressed the agent, marked as conversation. */
export async function threadContext(body: PersonMessageEvent, options: ThreadContextScope): Promise<Message[]> {
  try {
    const [root, ...rest] = await messagesBefore(body, options);
    return root === undefined ? [] : await fitting(root, rest, options);
  } catch (error) {
    if (options.signal.aborted) throw error;
    options.notice(`⚠ I couldn't read the earlier messages in this thread. ${explain(toAppError(error))}`);
    return [];
  }
}

async function messagesBefore(body: PersonMessageEvent, options: ThreadContextScope): Promise<ThreadMessage[]> {
  const read = 1 + THREAD_MESSAGES + NEW_MESSAGE_ALLOWANCE;
  const thread = await options.platform.fetchThread(body.thread, read, options.signal);
  // Later messages arrive as events of their own, and the run's own posts are not part of the thread it joins.
  const before = thread.filter(({ messageId, at }) => messageId !== body.messageId && at <= body.at);
  const [root, ...rest] = before.filter(({ text, attachments = [] }) => text !== "" || attachments.length > 0);
  return root === undefined ? [] : [root, ...rest.slice(1 - THREAD_MESSAGES)];
}

/** The remaining capacity. */
interface Room {
  chars: number;
  files: number;
}

/** Selects the root with its files, then the newest messages that fit, and then their files, newest first. */
async function fitting(
  root: ThreadMessage,
  rest: readonly ThreadMessage[],
  options: ThreadContextScope,
): Promise<Message[]> {
  const whole = root.text.slice(0, THREAD_CHARS).toWellFormed();
  const room: Room = { chars: THREAD_CHARS - whole.length, files: THREAD_FILES };
  const first = await contextMessage({ ...root, text: whole }, room, options);
  const kept: ThreadMessage[] = [];
  for (const message of rest.toReversed()) {
    if (message.text.length > room.chars) break;
    room.chars -= message.text.length;
    kept.push(message);
  }
  const newest: Message[] = [];
  for (const message of kept) newest.unshift(await contextMessage(message, room, options));
  return [first, ...newest];
}

async function contextMessage(message: ThreadMessage, room: Room, options: ThreadContextScope): Promise<Message> {
  const { author, text, attachments = [], at } = message;
  const files: ContentBlock[] = [];
  for (const attachment of attachments.slice(0, Math.max(0, room.files))) {
    room.files -= 1;
    const documentChars = Math.max(0, Math.min(DOCUMENT_CHARS, room.chars));
    // The files were not attached for the agent, so an unreadable one is reported to the model only.
    const blocks = await attachedBlocks(attachment, { ...options, documentChars, notice: () => undefined });
    files.push(...blocks.flatMap((block) => fitted(asConversation(block), room)));
  }
  const attached: Label = files.length === 0 ? EMPTY_LABEL : { who: [outsideOf("an attachment")], holds: [] };
  return {
    id: options.ids.next("msg"),
    role: "user",
    content: [{ type: "text", text }, ...files],
    author: { id: author.id, name: author.name },
    context: true,
    label: unionOf([labelOfMessage(message), attached]),
    createdAt: at,
  };
}

/** Marks a file's text as conversation, like the words of the person who attached it. */
function asConversation(block: ContentBlock): ContentBlock {
  if (block.type !== "document" || block.text === undefined) return block;
  return { type: "text", text: `[${block.name} holds]\n${block.text}` };
}

/**
 * Drops a block that does not fit; its file is in the sandbox. A PDF without text is always dropped, since its size in
 * tokens is known only to the provider.
 */
function fitted(block: ContentBlock, room: Room): ContentBlock[] {
  const chars = block.type === "text" ? block.text.length : block.type === "image" ? IMAGE_CHARS : Infinity;
  if (chars - ROUGHLY > room.chars) return [];
  room.chars -= chars;
  return [block];
}

/** Tolerance for a file's name and the text around its content, in characters. */
const ROUGHLY = 500;
