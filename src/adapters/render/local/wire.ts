import { z } from "zod";
import type { Form, FormProblems } from "../../../core/protocol/form.ts";
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
  /** Deckhand's signs on a person's message. */
  signs: z.array(z.enum(["seen", "working"])).default([]),
});
export type MessageBody = z.infer<typeof messageBodySchema>;

export interface PageCommand {
  /** Without the slash. */
  readonly name: string;
  /** Its arguments; empty when it has none. */
  readonly usage: string;
  readonly description: string;
  /** What may follow the name first, where that is one of a few words. */
  readonly words: readonly { readonly word: string; readonly description: string }[];
}

export interface PageCompletion {
  /** What the composer holds once it is taken. */
  readonly text: string;
  readonly label: string;
}

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

/** A frame to the person's end. */
export type ThreadFrame =
  /** Answers `hello`. `changes` null: too much has changed; load the open thread afresh. */
  | {
      readonly type: "welcome";
      readonly threads: readonly PageThread[];
      readonly seq: number;
      readonly changes: readonly PageMessage[] | null;
      readonly commands: readonly PageCommand[];
    }
  /** Answers `open`. `messages` null: there is no such thread. `more`: there are older ones. */
  | {
      readonly type: "thread";
      readonly threadId: string;
      readonly before: number | null;
      readonly messages: readonly PageMessage[] | null;
      readonly more: boolean;
    }
  /** A message was posted or changed; `thread` comes with a new one. */
  | { readonly type: "message"; readonly message: PageMessage; readonly thread: PageThread | null }
  /** The message is durable. */
  | { readonly type: "sent"; readonly clientId: string; readonly threadId: string }
  | { readonly type: "clicked"; readonly clickId: string }
  /** Answers `complete`; `text` is what was typed then. */
  | { readonly type: "completions"; readonly text: string; readonly words: readonly PageCompletion[] }
  /** A private answer to a click or a command. */
  | { readonly type: "reply"; readonly clickId: string; readonly body: MessageBody }
  /** Asks for what a command lacks. `id`: of the message, click or command. `problems`: of what was filled in. */
  | {
      readonly type: "form";
      readonly id: string;
      readonly threadId: string | null;
      readonly form: Form;
      readonly problems: FormProblems;
    }
  /** A message (its client id), click or command (its click id) was not taken; `reason` is for people. */
  | { readonly type: "failed"; readonly id: string; readonly reason: string }
  /** What stands beside the threads is another now. */
  | { readonly type: "changed" }
  /** What goes on in a thread, in a word or two; empty: nothing does any more. */
  | { readonly type: "status"; readonly threadId: string; readonly words: string }
  /** The frame could not be understood. */
  | { readonly type: "rejected"; readonly reason: string };
