import { toAppError } from "../../protocol/errors.ts";
import { explain } from "../../protocol/explain.ts";
import type { ContentBlock, Message } from "../../protocol/messages.ts";
import type { ChatPlatform, ThreadMessage } from "../../protocol/platform.ts";
import type { Ids } from "../../protocol/runtime.ts";
import type { PersonMessageEvent } from "../session-event.ts";
import { type AttachedFileOptions, attachedBlocks } from "./attached-files.ts";

export interface ThreadContextOptions extends AttachedFileOptions {
  readonly platform: Pick<ChatPlatform, "fetchFile" | "fetchThread" | "limits">;
  readonly ids: Ids;
}

/** Messages of an existing thread, its root among them, that a session gets beside the one that began it there. */
const THREAD_MESSAGES = 20;
/** Messages that a thread may have got, ours among them, between that one and its reading. */
const SAID_SINCE = 10;
/** About 8,000 tokens. Characters. */
const THREAD_CHARS = 28_000;
/** Files that come along with their content, the root's first, then the newest; others are named in the text. */
const THREAD_FILES = 5;
/** Of a document's text that comes along; the sandbox has the whole. Characters. */
const DOCUMENT_CHARS = 10_000;

/** What was said in a thread before somebody addressed the agent there, as the conversation it is. */
export async function threadContext(body: PersonMessageEvent, options: ThreadContextOptions): Promise<Message[]> {
  try {
    const messages = await messagesBefore(body, options);
    const withFiles = fileBearers(messages);
    const read: Message[] = [];
    for (const message of messages) {
      const files = withFiles.get(message) ?? 0;
      read.push({
        id: options.ids.next("msg"),
        role: "user",
        content: [{ type: "text", text: message.text }, ...(await contentOfFiles(message, files, options))],
        author: { id: message.author.id, name: message.author.name },
        context: true,
        createdAt: message.at,
      });
    }
    return read;
  } catch (error) {
    if (options.signal.aborted) throw error;
    options.notice(`⚠ I could not read the earlier messages of this thread. ${explain(toAppError(error))}`);
    return [];
  }
}

async function messagesBefore(body: PersonMessageEvent, options: ThreadContextOptions): Promise<ThreadMessage[]> {
  const read = 1 + THREAD_MESSAGES + SAID_SINCE;
  const thread = await options.platform.fetchThread(body.thread, read, options.signal);
  // What people have said since comes by itself, and what this run shows is no part of what it joins.
  const before = thread.filter(({ messageId, at }) => messageId !== body.messageId && at <= body.at);
  const [root, ...rest] = before.filter(({ text, attachments = [] }) => text !== "" || attachments.length > 0);
  const earlier = root === undefined ? [] : [root, ...rest.slice(1 - THREAD_MESSAGES)];
  return newestWithin(earlier, THREAD_CHARS);
}

/** The thread's root and as many of the newest messages as fit. */
function newestWithin(messages: readonly ThreadMessage[], chars: number): ThreadMessage[] {
  const [root, ...rest] = messages;
  if (root === undefined) return [];
  const kept: ThreadMessage[] = [];
  let left = chars - root.text.length;
  for (const message of rest.toReversed()) {
    left -= message.text.length;
    if (left < 0) break;
    kept.unshift(message);
  }
  return [{ ...root, text: root.text.slice(0, chars) }, ...kept];
}

/** How many files of each message come along. */
function fileBearers([root, ...rest]: readonly ThreadMessage[]): ReadonlyMap<ThreadMessage, number> {
  let left = THREAD_FILES;
  return new Map(
    (root === undefined ? [] : [root, ...rest.toReversed()]).map((message) => {
      const taken = Math.min(left, message.attachments?.length ?? 0);
      left -= taken;
      return [message, taken] as const;
    }),
  );
}

/** Nobody attached them for the agent: one that cannot be read is told to the model alone. */
async function contentOfFiles(
  { attachments = [] }: ThreadMessage,
  count: number,
  options: ThreadContextOptions,
): Promise<ContentBlock[]> {
  const blocks: ContentBlock[] = [];
  for (const attachment of attachments.slice(0, count))
    blocks.push(
      ...(await attachedBlocks(attachment, { ...options, documentChars: DOCUMENT_CHARS, notice: () => undefined })),
    );
  return blocks;
}
