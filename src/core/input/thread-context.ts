import type { PersonMessageEvent } from "../events/session-event.ts";
import { toAppError } from "../protocol/errors.ts";
import { explain } from "../protocol/explain.ts";
import type { ContentBlock, Message } from "../protocol/messages.ts";
import type { ChatPlatform, ThreadMessage } from "../protocol/platform.ts";
import type { Ids } from "../protocol/runtime.ts";
import { type Label, NOTHING_NEW, outsideOf, unionOf } from "../trust/label.ts";
import { type AttachedFileOptions, attachedBlocks } from "./attached-files.ts";
import { labelOfSaid } from "./said-label.ts";

/** Messages of an existing thread, its root among them, that a session gets beside the one that began it there. */
const THREAD_MESSAGES = 20;
/** Messages that a thread may have got, ours among them, between that one and its reading. */
const SAID_SINCE = 10;
/** About 8,000 tokens, words and files together. Characters. */
const THREAD_CHARS = 28_000;
/** Files that are fetched, the root's first, then the newest; others are named in the text. */
const THREAD_FILES = 5;
/** Characters of a document's text that come along; the sandbox has the whole. */
const DOCUMENT_CHARS = 10_000;
/** What an image takes of the room: about 1,600 tokens. Source: Anthropic docs, Vision. Characters. */
const IMAGE_CHARS = 5_600;

export interface ThreadContextScope extends AttachedFileOptions {
  readonly platform: Pick<ChatPlatform, "fetchFile" | "fetchThread" | "previews" | "descriptor">;
  readonly ids: Ids;
}

/** What was said in a thread before somebody addressed the agent there, as the conversation it is. */
export async function threadContext(body: PersonMessageEvent, options: ThreadContextScope): Promise<Message[]> {
  try {
    const [root, ...rest] = await messagesBefore(body, options);
    return root === undefined ? [] : await fitting(root, rest, options);
  } catch (error) {
    if (options.signal.aborted) throw error;
    options.notice(`⚠ I could not read the earlier messages of this thread. ${explain(toAppError(error))}`);
    return [];
  }
}

async function messagesBefore(body: PersonMessageEvent, options: ThreadContextScope): Promise<ThreadMessage[]> {
  const read = 1 + THREAD_MESSAGES + SAID_SINCE;
  const thread = await options.platform.fetchThread(body.thread, read, options.signal);
  // What people have said since comes by itself, and what this run shows is no part of what it joins.
  const before = thread.filter(({ messageId, at }) => messageId !== body.messageId && at <= body.at);
  const [root, ...rest] = before.filter(({ text, attachments = [] }) => text !== "" || attachments.length > 0);
  return root === undefined ? [] : [root, ...rest.slice(1 - THREAD_MESSAGES)];
}

/** What may still come along. */
interface Room {
  chars: number;
  files: number;
}

/** The root with its files, as many of the newest messages as fit beside it, and then their files, the newest first. */
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
    // Nobody attached it for the agent: that it cannot be read is told to the model alone.
    const blocks = await attachedBlocks(attachment, { ...options, documentChars, notice: () => undefined });
    files.push(...blocks.flatMap((block) => fitted(asConversation(block), room)));
  }
  const attached: Label = files.length === 0 ? NOTHING_NEW : { who: [outsideOf("an attachment")], holds: [] };
  return {
    id: options.ids.next("msg"),
    role: "user",
    content: [{ type: "text", text }, ...files],
    author: { id: author.id, name: author.name },
    context: true,
    label: unionOf([labelOfSaid(message), attached]),
    createdAt: at,
  };
}

/** Text of a file stands among the words of whoever attached it, and is marked as these are. */
function asConversation(block: ContentBlock): ContentBlock {
  if (block.type !== "document" || block.text === undefined) return block;
  return { type: "text", text: `[${block.name} holds]\n${block.text}` };
}

/** What does not fit is in the sandbox. How much a PDF holds only its provider can tell: it stays there. */
function fitted(block: ContentBlock, room: Room): ContentBlock[] {
  const chars = block.type === "text" ? block.text.length : block.type === "image" ? IMAGE_CHARS : Infinity;
  if (chars - ROUGHLY > room.chars) return [];
  room.chars -= chars;
  return [block];
}

/** What stands around a file's text, and its name, may pass the room. Characters. */
const ROUGHLY = 500;
