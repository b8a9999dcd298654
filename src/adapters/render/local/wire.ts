import { z } from "zod";
import type { Form, FormProblems } from "../../../core/protocol/form.ts";
import { shownSchema } from "../../../core/protocol/shown.ts";
import { COMPLETED_CHARS, FRAME_BYTES, MESSAGE_FILES } from "./frame-limits.ts";

/** What a person's end, the page or a terminal, and the server say to each other over a socket. */

export const idSchema = z.string().min(1).max(200);

/** Frames from the person's end. */
export const personFrameSchemas = [
  /** The first frame. `seq`: the highest sequence number the page has seen; null when it has none. */
  z.object({ type: z.literal("hello"), seq: z.number().int().nonnegative().nullable() }),
  /** Asks for a thread's newest messages, or those before a position. */
  z.object({ type: z.literal("open"), threadId: idSchema, before: z.number().int().nullable() }),
  /** A message. `clientId` stays the same when it is sent again. `threadId` null begins a thread. */
  z.object({
    type: z.literal("send"),
    clientId: z.uuid(),
    threadId: idSchema.nullable(),
    text: z.string().max(FRAME_BYTES),
    fileIds: z.array(idSchema).max(MESSAGE_FILES),
  }),
  z.object({ type: z.literal("click"), clickId: z.uuid(), messageId: idSchema, action: z.string().min(1).max(100) }),
  /** A command that is answered beside the thread, like a click, and leaves no message in it. `filled`: its form. */
  z.object({
    type: z.literal("command"),
    clickId: z.uuid(),
    /** Null where no thread is open. */
    threadId: idSchema.nullable(),
    name: z.string().min(1).max(100),
    args: z.string().max(1_000),
    filled: z.record(z.string(), z.string()).optional(),
  }),
  /** Asks what could stand at the end of a command that is being typed. */
  z.object({ type: z.literal("complete"), threadId: idSchema.nullable(), text: z.string().max(COMPLETED_CHARS) }),
] as const;
export type PersonFrame = z.infer<(typeof personFrameSchemas)[number]>;

export const pageFileSchema = z.object({
  id: z.string(),
  name: z.string(),
  mediaType: z.string(),
  /** Bytes. */
  size: z.number(),
});
export type PageFile = z.infer<typeof pageFileSchema>;

/** A message as it is stored and shown. */
export const messageBodySchema = z.object({
  /** note: shown to one person only; marked as private where nobody else is. */
  by: z.enum(["person", "deckhand", "note"]),
  /** Which person, where several are in the channel. */
  author: z.object({ id: z.string(), name: z.string() }).optional(),
  /** Whom a note is for, where several are in the channel: a person's id. */
  to: z.string().optional(),
  markdown: z.string(),
  footer: z.string().optional(),
  tone: z.enum(["plain", "error", "task"]),
  /** approval: it asks people to decide, or tells what they decided. */
  lane: z.enum(["approval", "answer", "first", "progress"]).optional(),
  buttons: z.array(z.object({ id: z.string(), label: z.string(), style: z.enum(["default", "primary", "danger"]) })),
  files: z.array(pageFileSchema),
  shows: shownSchema.exactOptional(),
  /** Deckhand's signs on a person's message. */
  signs: z.array(z.enum(["seen", "working"])).default([]),
});
export type MessageBody = z.infer<typeof messageBodySchema>;

const pageCommandSchema = z
  .object({
    /** Without the slash. */
    name: z.string(),
    /** Its arguments; empty when it has none. */
    usage: z.string(),
    description: z.string(),
    /** What may follow the name first, where that is one of a few words. */
    words: z.array(z.object({ word: z.string(), description: z.string() }).readonly()).readonly(),
  })
  .readonly();
export type PageCommand = z.infer<typeof pageCommandSchema>;

/** `text`: what the composer holds once it is taken. */
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

/** Frames to the person's end, by their types. */
export const threadFrames = {
  /** Answers `hello`. `changes` null: too much has changed; load the open thread afresh. */
  welcome: z.object({
    type: z.literal("welcome"),
    threads: z.array(pageThreadSchema).readonly(),
    seq: z.number(),
    changes: z.array(pageMessageSchema).readonly().nullable(),
    commands: z.array(pageCommandSchema).readonly(),
  }),
  /** Answers `open`; tells of a thread that is deleted, too. `messages` null: there is none. `more`: there are older ones. */
  thread: z.object({
    type: z.literal("thread"),
    threadId: z.string(),
    before: z.number().nullable(),
    messages: z.array(pageMessageSchema).readonly().nullable(),
    more: z.boolean(),
  }),
  /** A message was posted or changed; `thread` comes with a new one. */
  message: z.object({ type: z.literal("message"), message: pageMessageSchema, thread: pageThreadSchema.nullable() }),
  /** The message is durable. */
  sent: z.object({ type: z.literal("sent"), clientId: z.string(), threadId: z.string() }),
  clicked: z.object({ type: z.literal("clicked"), clickId: z.string() }),
  /** Answers `complete`; `text` is what was typed then. */
  completions: z.object({
    type: z.literal("completions"),
    text: z.string(),
    words: z.array(pageCompletionSchema).readonly(),
  }),
  /** A private answer to a click or a command. */
  reply: z.object({ type: z.literal("reply"), clickId: z.string(), body: messageBodySchema }),
  /** Asks for what a command lacks. `id`: of the message, click or command. `problems`: of what was filled in. */
  form: z.object({
    type: z.literal("form"),
    id: z.string(),
    threadId: z.string().nullable(),
    form: z.custom<Form>(),
    problems: z.custom<FormProblems>(),
  }),
  /** A message (its client id), click or command (its click id) was not taken; `reason` is for people. */
  failed: z.object({ type: z.literal("failed"), id: z.string(), reason: z.string() }),
  /** What stands beside the threads is another now. */
  changed: z.object({ type: z.literal("changed") }),
  /** What goes on in a thread, in a word or two; empty: nothing does any more. */
  status: z.object({ type: z.literal("status"), threadId: z.string(), words: z.string() }),
  /** The frame could not be understood. */
  rejected: z.object({ type: z.literal("rejected"), reason: z.string() }),
};
export type ThreadFrame = Readonly<z.infer<(typeof threadFrames)[keyof typeof threadFrames]>>;
