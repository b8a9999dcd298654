import { createHash } from "node:crypto";
import type { OutgoingFile, OutgoingMessage } from "../../../core/platform/outgoing.ts";
import type { LocalFile, LocalMessage, LocalThread } from "../../../core/store/web-threads.ts";
import { commandAsTitle } from "../../../core/text/command-as-title.ts";
import { fromJson } from "../../../core/text/from-json.ts";
import { cut } from "../../../core/text/plain-text.ts";
import { TITLE_CHARS } from "./frame-limits.ts";
import { type MessageBody, messageBodySchema, type PageFile, type PageMessage, type PageThread } from "./wire.ts";

/** Converts an outgoing message to a stored body, which only refers to its files; these are stored separately. */
export function formatMessage(message: OutgoingMessage, by: "deckhand" | "note"): MessageBody {
  return {
    by,
    markdown: message.markdown,
    ...(message.footer === undefined ? {} : { footer: message.footer }),
    tone: message.tone,
    lane: message.lane,
    buttons: message.buttons.map(({ id, label, style }) => ({ id, label, style })),
    files: message.files.map((file) => pageFile(localFile(file))),
    ...(message.shows === undefined ? {} : { shows: message.shows }),
    signs: [],
  };
}

/** A file whose id is a hash of its name, type and bytes. */
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
  const stored = fromJson(message.body);
  const body = messageBodySchema.safeParse(stored).data ?? wordsOf(stored);
  return body.shows === undefined && body.by === "deckhand" ? { ...body, ...shownBefore(body) } : body;
}

const wordsSchema = messageBodySchema.pick({ by: true, author: true, to: true, markdown: true });

/** Reads what it can of a body that is damaged or from a newer version, so that pages can show the other messages. */
function wordsOf(stored: unknown): MessageBody {
  const words = wordsSchema.safeParse(stored).data ?? { by: "deckhand", markdown: "⚠ I cannot read this message." };
  return { ...words, tone: "plain", buttons: [], files: [], signs: [] };
}

/** Derives `shows` from the buttons of rows stored by versions without it, as far as it matters for old messages. */
function shownBefore({ lane, buttons, footer, markdown }: MessageBody): Pick<MessageBody, "shows"> {
  const firstLine = markdown.split("\n", 1).join("");
  const has = (beginning: string) => buttons.some(({ id }) => id.startsWith(beginning));
  const card = (kind: "approval" | "question" | "plan" | "offer") =>
    ({ shows: { type: "card", card: kind, head: firstLine, asks: firstLine } }) as const;
  if (has("stop:")) return { shows: { type: "live", state: "working", head: "", lines: [] } };
  if (has("approve:")) return card("approval");
  if (has("answer:")) return card(has("answer:go:") ? "plan" : "question");
  if (has("hook:")) return card("offer");
  if (has("details:") && has("good:")) {
    const isStopped = lane === "answer";
    const isFigures = !isStopped && !markdown.includes("\n");
    return { shows: { type: "end", state: isStopped ? "stopped" : "done", head: "", isFigures } };
  }
  // A question answered by a message has no buttons, and a decided card has no footer.
  if (lane === "approval" && buttons.length === 0 && footer !== undefined) return card("question");
  return {};
}

/** Markdown marks before a line and around words; the stars of a cron expression or a glob do not match. */
const MARKS =
  /^(?:#{1,6}|>)\s+|`|(?<![\p{L}\p{N}])(?:[*_]{1,3}|~~)(?=[\p{L}\p{N}`(])|(?<=[\p{L}\p{N}`).,:;!?])(?:[*_]{1,3}|~~)(?![\p{L}\p{N}])/gu;

/** A thread's title: the first line with a letter or digit. */
export function titleOf(text: string): string {
  const line = text.split("\n").find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? "";
  const title = commandAsTitle(line.replaceAll(MARKS, "").trim());
  return title === "" ? "New thread" : cut(title, TITLE_CHARS);
}
