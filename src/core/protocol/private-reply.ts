import type { OutgoingMessage, Receipt } from "./platform.ts";

/** An answer for one person's eyes. */
export function privately(markdown: string): OutgoingMessage {
  return { lane: "answer", markdown, tone: "plain", buttons: [], files: [] };
}

/** What a person is told of what they did. */
export function reply(text: string): Receipt {
  return { type: "reply", message: privately(text) };
}

/** What everybody in a thread reads. */
export function publicly(markdown: string): OutgoingMessage {
  return { lane: "first", markdown, tone: "plain", buttons: [], files: [] };
}

const MORE = "… All of it is in the file.";
const FENCE = "```";

/** An answer that one message holds: of a longer one the first lines, and all of it in a file. */
export function fitted(message: OutgoingMessage, maxChars: number): OutgoingMessage {
  const { markdown, files } = message;
  if (markdown.length <= maxChars) return message;
  const room = maxChars - MORE.length - FENCE.length - 2;
  const head =
    markdown.slice(0, Math.max(0, markdown.lastIndexOf("\n", room))) || markdown.slice(0, room).toWellFormed();
  // A table is a code block, and may be cut in its middle.
  const isOpen = head.split("\n").filter((line) => line.startsWith(FENCE)).length % 2 === 1;
  const shown = [head, ...(isOpen ? [FENCE] : []), MORE].join("\n");
  const file = { name: "answer.md", mediaType: "text/markdown", data: new TextEncoder().encode(`${markdown}\n`) };
  return { ...message, markdown: shown, files: [...files, file] };
}
