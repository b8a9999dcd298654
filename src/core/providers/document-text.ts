import type { DocumentBlock } from "../protocol/messages.ts";

/** Replaces a file that the model cannot be shown. */
export function unreadableDocument({ name, mediaType }: DocumentBlock): string {
  return `[Attached file ${name} (${mediaType}): its content cannot be shown here]`;
}

/** A text file as part of a message. */
export function quotedDocument({ name, context }: Pick<DocumentBlock, "name" | "context">, text: string): string {
  const from = context === undefined ? "" : ` context="${attribute(context)}"`;
  return `<document name="${attribute(name)}"${from}>\n${text}\n</document>`;
}

function attribute(value: string): string {
  return value.replace(/["<>]/g, "'");
}
