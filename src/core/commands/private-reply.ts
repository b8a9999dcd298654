import type { OutgoingMessage } from "../protocol/platform.ts";

/** An answer for one person's eyes. */
export function privately(markdown: string): OutgoingMessage {
  return { lane: "answer", markdown, tone: "plain", buttons: [], files: [] };
}
