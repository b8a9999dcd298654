import type { DocumentBlock } from "../protocol/messages.ts";

/** What a model is told of a file it cannot be shown. */
export function unreadableDocument({ name, mediaType }: DocumentBlock): string {
  return `[Attached file ${name} (${mediaType}): its content cannot be shown here]`;
}

/** A text file as part of a message. */
export function quotedDocument(name: string, text: string): string {
  return `<document name="${name.replace(/["<>]/g, "'")}">\n${text}\n</document>`;
}
