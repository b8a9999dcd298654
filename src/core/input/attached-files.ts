import { toAppError } from "../protocol/errors.ts";
import { explain } from "../protocol/explain.ts";
import type { ContentBlock, DocumentBlock, ImageBlock } from "../protocol/messages.ts";
import type { Attachment, ChatPlatform } from "../protocol/platform.ts";
import { plainLine } from "../text/plain-text.ts";
import { sizeText } from "../text/sizes.ts";

/** Where it is in the sandbox root; why it is not to be there; null when it cannot be. */
export type SavedAttachment = string | { readonly refused: string } | null;

/** Where something is attached, and by whom. */
export interface AttachmentPlace {
  readonly sandboxRoot: string;
  readonly personId: string;
  readonly channelKey: string;
}

export interface AttachedFileOptions {
  readonly platform: Pick<ChatPlatform, "fetchFile" | "descriptor">;
  readonly signal: AbortSignal;
  /** Keeps an attachment in the sandbox root. */
  readonly saveAttachment: (name: string, data: Uint8Array) => Promise<SavedAttachment>;
  /** What people should know: an attachment that could not be read. */
  readonly notice: (text: string) => void;
  /** Characters of a document's text that go into the request; `DOCUMENT_CHARS` when left out. */
  readonly documentChars?: number;
}

/** Characters of a file's name that a model reads: on one line, and with all that is in it. */
export const FILE_NAME_CHARS = 255;
/** Text of a document that goes into the request whole; more is in the sandbox. Characters. */
const DOCUMENT_CHARS = 100_000;
/** Bytes of an image that providers take. Source: Anthropic docs, Vision (5 MB as base64). */
const IMAGE_BYTES = 3_750_000;

/** What a request carries of a file: how it is called and where it is saved, and its content where models read that. */
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
      ...contentOf(attachment, data, {
        context: typeof saved === "string" ? saved : "attached",
        chars: options.documentChars ?? DOCUMENT_CHARS,
      }),
    ];
  } catch (error) {
    if (signal.aborted) throw error;
    options.notice(explain(toAppError(error)));
    return [note(`${name} (${mediaType}) was attached but could not be read.`)];
  }
}

interface Shown {
  /** Where the file is now. */
  readonly context: string;
  readonly chars: number;
}

/** What a model can be given of a file; nothing of what none reads. `chars`: of a document's text. */
export function contentOf(
  { name: called, mediaType }: Attachment,
  data: Uint8Array,
  { context, chars }: Shown,
): (ImageBlock | DocumentBlock)[] {
  const name = plainLine(called, FILE_NAME_CHARS);
  const image = imageType(data);
  if (image !== null && data.byteLength <= IMAGE_BYTES) {
    return [{ type: "image", mediaType: image, data: base64(data), name }];
  }
  if (startsWith(data, "%PDF-"))
    return [{ type: "document", name, mediaType: "application/pdf", data: base64(data), context }];
  const text = image === null ? textIn(data) : null;
  if (text === null) return [];
  const cut = text.length > chars ? `${text.slice(0, chars)}\n[cut; the whole file is attached]` : text;
  return cut === "" ? [] : [{ type: "document", name, mediaType, text: cut, context }];
}

/** By its first bytes: what a platform says of a file is a guess from its name. */
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

/** Text has no control characters but tab, line ends, form feed and escape. */
// oxlint-disable-next-line no-control-regex -- control characters are what tells
const CONTROLS = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

const OTHER_ENCODING = "[This is not UTF-8 and is shown as Windows-1252.]\n";

/** The text of a file in UTF-8, in UTF-16 with its mark, or, as Excel and older programs write it, in Windows-1252; else null. */
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
