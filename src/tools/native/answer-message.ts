import type { OutgoingFile, OutgoingMessage } from "../../core/platform/outgoing.ts";

/** Builds a message that a tool posts beside the run's own. */
export function answerMessage(markdown: string, files: readonly OutgoingFile[]): OutgoingMessage {
  return { lane: "answer", markdown, tone: "plain", buttons: [], files };
}
