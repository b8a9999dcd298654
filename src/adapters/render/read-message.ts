import type { Attachment } from "../../core/platform/inbound.ts";

/** A message in the form that the model reads. */
export interface ReadMessage {
  /** The message's own text, without the mention of the bot. */
  readonly text: string;
  /** Everything else that the message shows, each as a text that says what or whose it is. */
  readonly quoted: readonly string[];
  readonly files: readonly Attachment[];
}

/** Content of a message that is not read, because its author is not served. */
export const UNREAD: ReadMessage = { text: "", quoted: [], files: [] };
