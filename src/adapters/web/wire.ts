import { z } from "zod";
import { FRAME_BYTES, MESSAGE_FILES } from "./limits.ts";

/** What the page and the server say to each other over the socket. */

const idSchema = z.string().min(1).max(200);

/** A frame from the page. */
export const clientFrameSchema = z.discriminatedUnion("type", [
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
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;

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
  /** note: shown to one person only. On the page that is everyone, so it is marked as private instead. */
  by: z.enum(["person", "deckhand", "note"]),
  markdown: z.string(),
  footer: z.string().optional(),
  tone: z.enum(["plain", "error", "task"]),
  buttons: z.array(z.object({ id: z.string(), label: z.string(), style: z.enum(["default", "primary", "danger"]) })),
  files: z.array(pageFileSchema),
  /** Deckhand's signs on a person's message. */
  signs: z.array(z.enum(["seen", "working"])).default([]),
});
export type MessageBody = z.infer<typeof messageBodySchema>;

export interface PageThread {
  readonly id: string;
  readonly title: string;
  readonly updatedAt: number;
}

export interface PageMessage {
  readonly id: string;
  readonly threadId: string;
  readonly position: number;
  readonly seq: number;
  readonly at: number;
  readonly body: MessageBody;
}

/** A frame to the page. */
export type ServerFrame =
  /** Answers `hello`. `changes` null: too much has changed; load the open thread afresh. */
  | {
      readonly type: "welcome";
      readonly threads: readonly PageThread[];
      readonly seq: number;
      readonly changes: readonly PageMessage[] | null;
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
  /** A private answer to a click. */
  | { readonly type: "reply"; readonly clickId: string; readonly body: MessageBody }
  /** A message (its client id) or click (its click id) was not taken; `reason` is for people. */
  | { readonly type: "failed"; readonly id: string; readonly reason: string }
  /** The frame could not be understood. */
  | { readonly type: "rejected"; readonly reason: string };
