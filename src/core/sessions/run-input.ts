import type { SkillCatalogue } from "../context/skills.ts";
import { toAppError } from "../protocol/errors.ts";
import { explain } from "../protocol/explain.ts";
import type { ContentBlock, ImageBlock, Message } from "../protocol/messages.ts";
import type { Attachment, ChatPlatform, ThreadMessage } from "../protocol/platform.ts";
import type { Ids } from "../protocol/runtime.ts";
import type { ChildEvent } from "./child-event.ts";
import { endNote } from "./child-report.ts";
import type { JobEvent } from "./job-event.ts";
import type { RunLocalCommand } from "./local-command.ts";
import { localCommandIn } from "./local-command-text.ts";
import { skillBlocks } from "./run-skills.ts";
import type { NoteEvent, PersonMessageEvent, StoredEvent } from "./session-event.ts";

export interface RunInputOptions {
  readonly platform: Pick<ChatPlatform, "fetchFile" | "fetchThread" | "limits">;
  readonly ids: Ids;
  readonly signal: AbortSignal;
  /** Keeps an attachment in the sandbox root; answers its path there, or null when it cannot. */
  readonly saveAttachment: (name: string, data: Uint8Array) => Promise<string | null>;
  /** What people should know: an attachment that could not be read. */
  readonly notice: (text: string) => void;
  /** The skills that hold in the session's channel. */
  readonly skills: () => SkillCatalogue;
  /** Runs a shell command that a person typed. */
  readonly runCommand: RunLocalCommand;
}

/** Messages of an existing thread, its root among them, that a session gets beside the one that began it there. */
const THREAD_MESSAGES = 20;
/** Messages that a thread may have got, ours among them, between that one and its reading. */
const SAID_SINCE = 10;
/** About 8,000 tokens. Characters. */
const THREAD_CHARS = 28_000;
/** Text of a document that goes into the request whole; more is in the sandbox. Characters. */
const DOCUMENT_CHARS = 100_000;
/** Bytes of an image that providers take. Source: Anthropic docs, Vision (5 MB as base64). */
const IMAGE_BYTES = 3_750_000;

/** What an event brings into the history: the thread it joins, then the message itself. */
export async function messagesOf(event: StoredEvent, options: RunInputOptions): Promise<Message[]> {
  const { body } = event;
  if (body.kind === "job") return [jobMessage(body, options)];
  if (body.kind === "child") return [assignment(body, event.sessionId, options)];
  if (body.kind === "child_end") return [ourNote(endNote(body), body.at, options)];
  if (body.kind === "note") return [userNote(body, options)];
  if (body.kind !== "message") return [];
  const earlier = body.joinsThread ? await threadContext(body, options) : [];
  return [...earlier, await personMessage(body, event.seq, options)];
}

/** What a sub-agent is to do, as its parent put it. */
function assignment({ task, prompt, at }: ChildEvent, sessionId: string, { ids }: RunInputOptions): Message {
  const { agent, description } = task;
  const content: ContentBlock[] = [
    { type: "task_assignment", agent, description, sessionId },
    { type: "text", text: prompt },
  ];
  return { id: ids.next("msg"), role: "user", content, createdAt: at };
}

function ourNote(text: string, at: number, { ids }: RunInputOptions): Message {
  return { id: ids.next("msg"), role: "user", content: [{ type: "text", text }], createdAt: at };
}

/** What a person wants kept in mind is theirs, and counts as words of theirs; other notes are ours. */
function userNote({ by, text, at, isMemory = false }: NoteEvent, options: RunInputOptions): Message {
  const ours = ourNote(text, at, options);
  if (!isMemory) return ours;
  return { ...ours, content: [{ type: "user_memory_input", text: `[To keep in mind] ${text}` }], author: by };
}

function jobMessage({ prompt, author, at }: JobEvent, { ids }: RunInputOptions): Message {
  return { id: ids.next("msg"), role: "user", content: [{ type: "text", text: prompt }], author, createdAt: at };
}

async function personMessage(body: PersonMessageEvent, seq: number, options: RunInputOptions): Promise<Message> {
  if (body.late !== undefined) options.notice(body.late);
  const quoted = body.quoted.map((text): ContentBlock => ({ type: "text", text: `[Quoted]\n${text}` }));
  const attached: ContentBlock[] = [];
  for (const attachment of body.attachments) attached.push(...(await attachmentBlocks(attachment, options)));
  const typed = body.addressed ? localCommandIn(body.text) : null;
  const output = typed === null ? [] : [await options.runCommand({ ...body, command: typed.command, seq })];
  const text = typed === null ? body.text : typed.rest;
  const words: ContentBlock[] = text === "" ? [] : [{ type: "text", text }];
  const said = [...output, ...(body.skill === undefined ? words : skillBlocks(body.skill, options.skills()))];
  return {
    id: options.ids.next("msg"),
    role: "user",
    content: [...quoted, ...said, ...attached],
    author: body.author,
    ...(body.addressed ? {} : { context: true }),
    createdAt: body.at,
  };
}

async function threadContext(body: PersonMessageEvent, options: RunInputOptions): Promise<Message[]> {
  try {
    const read = 1 + THREAD_MESSAGES + SAID_SINCE;
    const thread = await options.platform.fetchThread(body.thread, read, options.signal);
    // What people have said since comes by itself, and what this run shows is no part of what it joins.
    const before = thread.filter(({ messageId, at }) => messageId !== body.messageId && at <= body.at);
    const [root, ...rest] = before.filter(({ text }) => text !== "");
    const earlier = root === undefined ? [] : [root, ...rest.slice(1 - THREAD_MESSAGES)];
    return newestWithin(earlier, THREAD_CHARS).map((message) => ({
      id: options.ids.next("msg"),
      role: "user",
      content: [{ type: "text", text: message.text }],
      author: { id: message.author.id, name: message.author.name },
      context: true,
      createdAt: message.at,
    }));
  } catch (error) {
    if (options.signal.aborted) throw error;
    options.notice(`⚠ I could not read the earlier messages of this thread. ${explain(toAppError(error))}`);
    return [];
  }
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

async function attachmentBlocks(attachment: Attachment, options: RunInputOptions): Promise<ContentBlock[]> {
  const { name, mediaType, size } = attachment;
  const { platform, signal } = options;
  if (size > platform.limits.attachmentBytes) {
    options.notice(
      `⚠ ${name} is too large (${megabytes(size)}; at most ${megabytes(platform.limits.attachmentBytes)}).`,
    );
    return [note(`${name} (${mediaType}, ${megabytes(size)}) was attached but is too large to read.`)];
  }
  try {
    const data = await platform.fetchFile(attachment, platform.limits.attachmentBytes, signal);
    const saved = await options.saveAttachment(name, data);
    const where = saved === null ? "" : ` It is saved as ${saved}.`;
    return [
      note(`Attached: ${name} (${mediaType}, ${data.byteLength} bytes).${where}`),
      ...contentOf(attachment, data),
    ];
  } catch (error) {
    if (signal.aborted) throw error;
    options.notice(explain(toAppError(error)));
    return [note(`${name} (${mediaType}) was attached but could not be read.`)];
  }
}

function contentOf({ name, mediaType }: Attachment, data: Uint8Array): ContentBlock[] {
  const image = imageType(data);
  if (image !== null && data.byteLength <= IMAGE_BYTES) {
    return [{ type: "image", mediaType: image, data: base64(data), name }];
  }
  if (startsWith(data, "%PDF-")) return [{ type: "document", name, mediaType: "application/pdf", data: base64(data) }];
  const text = image === null ? textIn(data) : null;
  if (text === null) return [];
  const cut =
    text.length > DOCUMENT_CHARS ? `${text.slice(0, DOCUMENT_CHARS)}\n[cut; the whole file is attached]` : text;
  return cut === "" ? [] : [{ type: "document", name, mediaType, text: cut }];
}

/** By its first bytes: what a platform says of a file is a guess from its name. */
function imageType(data: Uint8Array): ImageBlock["mediaType"] | null {
  if (startsWith(data, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (startsWith(data, "\xff\xd8\xff")) return "image/jpeg";
  if (startsWith(data, "GIF87a") || startsWith(data, "GIF89a")) return "image/gif";
  if (startsWith(data, "RIFF") && startsWith(data.subarray(8), "WEBP")) return "image/webp";
  return null;
}

function startsWith(data: Uint8Array, latin1: string): boolean {
  const wanted = Buffer.from(latin1, "latin1");
  return wanted.equals(data.subarray(0, wanted.length));
}

/** The text of a UTF-8 file; null when it is something else. */
function textIn(data: Uint8Array): string | null {
  if (data.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    return null;
  }
}

function base64(data: Uint8Array): string {
  return Buffer.from(data).toString("base64");
}

function note(text: string): ContentBlock {
  return { type: "text", text: `[${text}]` };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
