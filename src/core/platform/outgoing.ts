import { z } from "zod";
import type { Shown } from "../protocol/shown.ts";
import { platformNameSchema } from "./thread.ts";

export interface Button {
  /** Returned as InboundAction.action. At most 100 characters. */
  readonly id: string;
  readonly label: string;
  readonly style: "default" | "primary" | "danger";
}

export interface OutgoingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
  /** A person has allowed sending the file although it looks like a secret. */
  readonly isAllowed?: true;
}

/** Lanes of the rate budget, most urgent first. */
export type Lane = "approval" | "answer" | "first" | "progress";

/** A message as the core and the renderer know it; each adapter's format.ts converts it. */
export interface OutgoingMessage {
  readonly lane: Lane;
  /** Markdown of the model or of Deckhand. Never trusted: adapters neutralise mentions and unfurls. */
  readonly markdown: string;
  /** One grey line below, such as the summary, who may decide, or when it expires. */
  readonly footer?: string;
  readonly tone: "plain" | "error" | "task";
  readonly buttons: readonly Button[];
  readonly files: readonly OutgoingFile[];
  /** What the message shows of a run or a card, as data. */
  readonly shows?: Shown;
}

/** Handle of a message that the bot posted, stored as JSON. `channelId`: where `edit` finds it (Discord: thread). */
export const postedMessageSchema = z.object({
  platform: platformNameSchema,
  channelId: z.string(),
  messageId: z.string(),
});
export type PostedMessage = z.infer<typeof postedMessageSchema>;
