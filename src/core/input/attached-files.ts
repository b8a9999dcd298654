import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Attachment } from "../platform/inbound.ts";
import { toAppError } from "../protocol/errors.ts";
import { explain } from "../protocol/explain.ts";
import type { ContentBlock, DocumentBlock, ImageBlock } from "../protocol/messages.ts";
import { plainLine } from "../text/plain-text.ts";
import { sizeText } from "../text/sizes.ts";

/** The path in the sandbox root, the reason why the file was refused, or null if it could not be saved. */
export type SavedAttachment = string | { readonly refused: string } | null;

/** Where a file was attached, and by whom. */
export interface AttachmentPlace {
  readonly sandboxRoot: string;
  readonly personId: string;
  readonly channelKey: string;
}

/** On whose behalf a document is read, and where. */
export interface DocumentPlace extends AttachmentPlace {
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/**
 * Reads at most so many characters of the text of a PDF or an office document, or a sentence in brackets that says why
 * it cannot be read. Null for other files, and for a document without text.
 */
export type ReadDocument = (data: Uint8Array, chars: number, place: DocumentPlace) => Promise<string | null>;

export interface AttachedFileOptions {
  readonly platform: Pick<ChatPlatform, "fetchFile" | "descriptor">;
  readonly signal: AbortSignal;
  /** Saves an attachment in the sandbox root. */
  readonly saveAttachment: (name: string, data: Uint8Array) => Promise<SavedAttachment>;
  readonly readDocument: (data: Uint8Array, chars: number) => Promise<string | null>;
  /** Shows a notice to people, for example about an unreadable attachment. */
  readonly notice: (text: string) => void;
  /** Maximum length of a document's text in the request, in characters. Defaults to `DOCUMENT_CHARS`. */
  readonly documentChars?: number;
}

/** Maximum length of a file's name as the model reads it, in characters. */
export const FILE_NAME_CHARS = 255;
/** Maximum length of a document's text in the request, in characters. The whole document is in the sandbox. */
const DOCUMENT_CHARS = 100_000;
/** Maximum size of an image that providers accept, in bytes. Source: Anthropic docs, Vision (5 MB as base64). */
const IMAGE_BYTES = 3_750_000;

/** The blocks for an attached file: its name and where it is saved, and its content if models can read it. */
export async function attachedBlocks(attachment: Attachment, options: AttachedFileOptions): Promise<ContentBlock[]> {
  const { size } = attachment;
  const name = plainLine(attachment.name, FILE_NAME_CHARS);
  const mediaType = plainLine(attachment.mediaType, FILE_NAME_CHARS);
  const { platform, signal } = options;
  if (size > platform.descriptor.limits.attachmentBytes) {
    options.notice(
      `⚠ ${name} is too large (${sizeText(size)}; at most ${sizeText(platform.descriptor.limits.attachmentBytes)}).`,
    );
    return [note(`${name} (${mediaType}, ${sizeText(size)}) was attached but is too large to read.`)];
  }
  try {
    const data = await platform.fetchFile(attachment, platform.descriptor.limits.attachmentBytes, signal);
    const saved = await options.saveAttachment(attachment.name, data);
    const where = saved === null ? "" : typeof saved === "string" ? ` It is saved as ${saved}.` : ` ${saved.refused}`;
    return [
      note(`Attached: ${name} (${mediaType}, ${data.byteLength} bytes).${where}`),
      ...(await contentOf(attachment, data, {
        context: typeof saved === "string" ? saved : "attached",
        chars: options.documentChars ?? DOCUMENT_CHARS,
        readDocument: options.readDocument,
      })),
    ];
  } catch (error) {
    if (signal.aborted) throw error;
    options.notice(explain(toAppError(error)));
    return [note(`${name} (${mediaType}) was attached but could not be read.`)];
  }
}

interface Shown extends Pick<AttachedFileOptions, "readDocument"> {
  /** The path of the file, or a word that says it is attached. */
  readonly context: string;
  readonly chars: number;
}

/**
 * The blocks with a file's content; none for types that no model reads. `chars` limits a document's text. A PDF has its
 * text besides, for models that read no PDFs.
 */
export async function contentOf(
  { name: called, mediaType }: Attachment,
  data: Uint8Array,
  { context, chars, readDocument }: Shown,
): Promise<(ImageBlock | DocumentBlock)[]> {
  const name = plainLine(called, FILE_NAME_CHARS);
  const image = imageType(data);
  if (image !== null && data.byteLength <= IMAGE_BYTES) {
    return [{ type: "image", mediaType: image, data: base64(data), name }];
  }
  const isPdf = startsWith(data, "%PDF-");
  const text = (isPdf || image !== null ? null : textIn(data)) ?? (await readDocument(data, chars + 1));
  const cut =
    text !== null && text.length > chars ? `${text.slice(0, chars)}\n[cut; the whole file is attached]` : text;
  const shown = cut === null || cut === "" ? undefined : cut;
  if (isPdf)
    return [{ type: "document", name, mediaType: "application/pdf", data: base64(data), text: shown, context }];
  return shown === undefined ? [] : [{ type: "document", name, mediaType, text: shown, context }];
}

/** Detects an image's type by its first bytes, since the platform only guesses from the file's name. */
function imageType(data: Uint8Array): ImageBlock["mediaType"] | null {
  if (startsWith(data, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (startsWith(data, "\xff\xd8\xff")) return "image/jpeg";
  if (startsWith(data, "GIF87a") || startsWith(data, "GIF89a")) return "image/gif";
  if (startsWith(data, "RIFF") && startsWith(data.subarray(8), "WEBP")) return "image/webp";
  return null;
}

function startsWith(data: Uint8Array, latin1: string): boolean {
  const wanted = Buffer.from(latin1, "latin1");
  return wanted.equals(data.subarray(0, wanted.length));
}

/** Control characters that do not occur in text. Tab, line ends, form feed and escape do. */
// oxlint-disable-next-line no-control-regex -- control characters are what tells
const CONTROLS = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

const OTHER_ENCODING = "[This is not UTF-8 and is shown as Windows-1252.]\n";

/**
 * Decodes text in UTF-8, in UTF-16 with a byte order mark, or in Windows-1252, which Excel and older programs write.
 * Null if the data is not text.
 */
function textIn(data: Uint8Array): string | null {
  const marked = startsWith(data, "\xff\xfe") ? "utf-16le" : startsWith(data, "\xfe\xff") ? "utf-16be" : "utf-8";
  const text = decoded(data, marked);
  if (text !== null) return text.includes("\0") ? null : text;
  const shown = new TextDecoder("windows-1252").decode(data);
  return CONTROLS.test(shown) ? null : `${OTHER_ENCODING}${shown}`;
}

function decoded(data: Uint8Array, encoding: "utf-8" | "utf-16le" | "utf-16be"): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(data);
  } catch {
    return null;
  }
}

function base64(data: Uint8Array): string {
  return Buffer.from(data).toString("base64");
}

function note(text: string): ContentBlock {
  return { type: "text", text: `[${text}]` };
}
