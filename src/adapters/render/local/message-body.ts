import { createHash } from "node:crypto";
import type { OutgoingFile, OutgoingMessage } from "../../../core/protocol/platform.ts";
import type { LocalFile, LocalMessage, LocalThread } from "../../../core/store/web-threads.ts";
import { commandAsTitle } from "../../../core/text/command-as-title.ts";
import { cut } from "../../../core/text/plain-text.ts";
import { TITLE_CHARS } from "./frame-limits.ts";
import { type MessageBody, messageBodySchema, type PageFile, type PageMessage, type PageThread } from "./wire.ts";

/** An outgoing message as the page's own; its files are named by reference and must be put beside it. */
export function formatMessage(message: OutgoingMessage, by: "deckhand" | "note"): MessageBody {
  return {
    by,
    markdown: message.markdown,
    ...(message.footer === undefined ? {} : { footer: message.footer }),
    tone: message.tone,
    lane: message.lane,
    buttons: message.buttons.map(({ id, label, style }) => ({ id, label, style })),
    files: message.files.map((file) => pageFile(localFile(file))),
    signs: [],
  };
}

/** A file under an id that its name, type and bytes decide. */
export function localFile(file: OutgoingFile): LocalFile {
  const hash = createHash("sha256")
    .update(JSON.stringify([file.name, file.mediaType]))
    .update(file.data);
  return { id: hash.digest("hex").slice(0, 40), name: file.name, mediaType: file.mediaType, data: file.data };
}

export function pageFile(file: LocalFile): PageFile {
  return { id: file.id, name: file.name, mediaType: file.mediaType, size: file.data.byteLength };
}

export function pageThread({ id, title, updatedAt }: LocalThread): PageThread {
  return { id, title, updatedAt };
}

export function pageMessage(message: LocalMessage): PageMessage {
  const { id, threadId, position, seq, at } = message;
  return { id, threadId, position, seq, at, body: bodyOf(message) };
}

export function bodyOf(message: LocalMessage): MessageBody {
  return messageBodySchema.parse(JSON.parse(message.body));
}

/** Marks of Markdown before a line and around words; the stars of a cron expression or a glob are none. */
const MARKS =
  /^(?:#{1,6}|>)\s+|`|(?<![\p{L}\p{N}])(?:[*_]{1,3}|~~)(?=[\p{L}\p{N}`(])|(?<=[\p{L}\p{N}`).,:;!?])(?:[*_]{1,3}|~~)(?![\p{L}\p{N}])/gu;

/** A thread is called after the first line that says something. */
export function titleOf(text: string): string {
  const line = text.split("\n").find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? "";
  const title = commandAsTitle(line.replaceAll(MARKS, "").trim());
  return title === "" ? "New thread" : cut(title, TITLE_CHARS);
}
