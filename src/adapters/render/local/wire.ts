import { z } from "zod";
import type { Form, FormProblems } from "../../../core/protocol/form.ts";
import { shownSchema } from "../../../core/protocol/shown.ts";
import { COMPLETED_CHARS, FRAME_BYTES, MESSAGE_FILES } from "./frame-limits.ts";

/** The socket protocol between a page or terminal and the server. */

export const idSchema = z.string().min(1).max(200);

/** Frames sent by the page or terminal. */
export const personFrameSchemas = [
  /** The first frame. `seq`: the highest sequence number the page has seen; null when it has none. */
  z.object({ type: z.literal("hello"), seq: z.number().int().nonnegative().nullable() }),
  /** Requests the newest messages of a thread, or those before a position. */
  z.object({ type: z.literal("open"), threadId: idSchema, before: z.number().int().nullable() }),
  /** A message. `clientId` stays the same when it is sent again. If `threadId` is null, it opens a thread. */
  z.object({
    type: z.literal("send"),
    clientId: z.uuid(),
    threadId: idSchema.nullable(),
    text: z.string().max(FRAME_BYTES),
    fileIds: z.array(idSchema).max(MESSAGE_FILES),
  }),
  z.object({ type: z.literal("click"), clickId: z.uuid(), messageId: idSchema, action: z.string().min(1).max(100) }),
  /**
   * A command answered privately, like a click; it leaves no message in the thread. `filled`: the values of its form.
   */
  z.object({
    type: z.literal("command"),
    clickId: z.uuid(),
    /** Null if no thread is open. */
    threadId: idSchema.nullable(),
    name: z.string().min(1).max(100),
    args: z.string().max(1_000),
    filled: z.record(z.string(), z.string()).optional(),
  }),
  /** Requests completions for the end of a command being typed. */
  z.object({ type: z.literal("complete"), threadId: idSchema.nullable(), text: z.string().max(COMPLETED_CHARS) }),
] as const;
export type PersonFrame = z.infer<(typeof personFrameSchemas)[number]>;

export const pageFileSchema = z.object({
  id: z.string(),
  name: z.string(),
  mediaType: z.string(),
  /** In bytes. */
  size: z.number(),
});
export type PageFile = z.infer<typeof pageFileSchema>;

export const messageBodySchema = z.object({
  /** note: shown to one person only, and marked as private in a direct channel. */
  by: z.enum(["person", "deckhand", "note"]),
  /** The author, in a channel with several people. */
  author: z.object({ id: z.string(), name: z.string() }).optional(),
  /** Id of the person whom a note is for, in a channel with several people. */
  to: z.string().optional(),
  markdown: z.string(),
  footer: z.string().optional(),
  tone: z.enum(["plain", "error", "task"]),
  /** approval: the message asks for a decision, or shows what was decided. */
  lane: z.enum(["approval", "answer", "first", "progress"]).optional(),
  buttons: z.array(z.object({ id: z.string(), label: z.string(), style: z.enum(["default", "primary", "danger"]) })),
  files: z.array(pageFileSchema),
  shows: shownSchema.exactOptional(),
  /** The bot's reactions to a person's message. */
  signs: z.array(z.enum(["seen", "working"])).default([]),
});
export type MessageBody = z.infer<typeof messageBodySchema>;

const pageCommandSchema = z
  .object({
    /** Name, without the slash. */
    name: z.string(),
    /** Arguments as shown in help; empty if there are none. */
    usage: z.string(),
    description: z.string(),
    /** Possible first words after the name, if these are a fixed set. */
    words: z.array(z.object({ word: z.string(), description: z.string() }).readonly()).readonly(),
  })
  .readonly();
export type PageCommand = z.infer<typeof pageCommandSchema>;

/** `text`: the content of the composer once the completion is accepted. */
const pageCompletionSchema = z.object({ text: z.string(), label: z.string() }).readonly();
export type PageCompletion = z.infer<typeof pageCompletionSchema>;

export const pageThreadSchema = z.object({ id: z.string(), title: z.string(), updatedAt: z.number() }).readonly();
export type PageThread = z.infer<typeof pageThreadSchema>;

export const pageMessageSchema = z
  .object({
    id: z.string(),
    threadId: z.string(),
    position: z.number(),
    seq: z.number(),
    at: z.number(),
    body: messageBodySchema,
  })
  .readonly();
export type PageMessage = z.infer<typeof pageMessageSchema>;

/** Frames sent to the page or terminal, by type. */
export const threadFrames = {
  /** Answers `hello`. `changes` null: too much has changed, so the page has to reload its open thread. */
  welcome: z.object({
    type: z.literal("welcome"),
    threads: z.array(pageThreadSchema).readonly(),
    seq: z.number(),
    changes: z.array(pageMessageSchema).readonly().nullable(),
    commands: z.array(pageCommandSchema).readonly(),
  }),
  /** Answers `open`; also announces a deleted thread. `messages` null: no such thread. `more`: there are older ones. */
  thread: z.object({
    type: z.literal("thread"),
    threadId: z.string(),
    before: z.number().nullable(),
    messages: z.array(pageMessageSchema).readonly().nullable(),
    more: z.boolean(),
  }),
  /** Some messages of a thread were deleted, so the page has to reload it. */
  erased: z.object({ type: z.literal("erased"), threadId: z.string() }),
  /** A message was posted or changed. `thread` is set if the message is new. */
  message: z.object({ type: z.literal("message"), message: pageMessageSchema, thread: pageThreadSchema.nullable() }),
  /** Acknowledges a message that has been stored. */
  sent: z.object({ type: z.literal("sent"), clientId: z.string(), threadId: z.string() }),
  clicked: z.object({ type: z.literal("clicked"), clickId: z.string() }),
  /** Answers `complete`; `text` is the line that the request held. */
  completions: z.object({
    type: z.literal("completions"),
    text: z.string(),
    words: z.array(pageCompletionSchema).readonly(),
  }),
  /** A private answer to a click or a command. */
  reply: z.object({ type: z.literal("reply"), clickId: z.string(), body: messageBodySchema }),
  /** Asks for missing input. `id`: of the message, click or command. `problems`: with the values submitted before. */
  form: z.object({
    type: z.literal("form"),
    id: z.string(),
    threadId: z.string().nullable(),
    form: z.custom<Form>(),
    problems: z.custom<FormProblems>(),
  }),
  /** A message (`id`: client id), click or command (`id`: click id) was not accepted; `reason` is for people. */
  failed: z.object({ type: z.literal("failed"), id: z.string(), reason: z.string() }),
  /** Data shown beside the threads has changed. */
  changed: z.object({ type: z.literal("changed") }),
  /** Current activity in a thread, in a word or two; empty if there is none any more. */
  status: z.object({ type: z.literal("status"), threadId: z.string(), words: z.string() }),
  /** The frame could not be understood. */
  rejected: z.object({ type: z.literal("rejected"), reason: z.string() }),
};
export type ThreadFrame = Readonly<z.infer<(typeof threadFrames)[keyof typeof threadFrames]>>;
