import type { Receipt } from "./inbound.ts";
import type { OutgoingFile, OutgoingMessage } from "./outgoing.ts";

/** A plain answer, or something that is posted beside a run's own messages. */
export function answerMessage(markdown: string, files: readonly OutgoingFile[] = []): OutgoingMessage {
  return { lane: "answer", markdown, tone: "plain", buttons: [], files };
}

/** A message for one person only. */
export function privateMessage(markdown: string): OutgoingMessage {
  return answerMessage(markdown);
}

/** Answers a person privately about what they did. */
export function reply(text: string): Receipt {
  return { type: "reply", message: privateMessage(text) };
}

/** A message for everybody in a thread. */
export function publicMessage(markdown: string): OutgoingMessage {
  return { lane: "first", markdown, tone: "plain", buttons: [], files: [] };
}

const MORE = "… The full text is in the file.";
const FENCE = "```";

/** Fits an answer into one message; a longer one becomes its first lines, with the whole text in a file. */
export function fitMessage(message: OutgoingMessage, maxChars: number): OutgoingMessage {
  const { markdown, files } = message;
  if (markdown.length <= maxChars) return message;
  const room = maxChars - MORE.length - FENCE.length - 2;
  const head =
    markdown.slice(0, Math.max(0, markdown.lastIndexOf("\n", room))) || markdown.slice(0, room).toWellFormed();
  // A table is a code block, which the cut may leave open.
  const isOpen = head.split("\n").filter((line) => line.startsWith(FENCE)).length % 2 === 1;
  const shown = [head, ...(isOpen ? [FENCE] : []), MORE].join("\n");
  const file = { name: "answer.md", mediaType: "text/markdown", data: new TextEncoder().encode(`${markdown}\n`) };
  return { ...message, markdown: shown, files: [...files, file] };
}
