import { Buffer } from "node:buffer";
import type { OutgoingFile } from "../../core/platform/outgoing.ts";
import { answerMessage } from "../../core/platform/replies.ts";
import { PlatformError } from "../../core/protocol/errors.ts";
import type { ToolResultContent } from "../../core/protocol/messages.ts";
import type { ToolResult } from "../../core/protocol/tool-result.ts";
import type { ToolContext } from "../../core/tool.ts";
import { HEAD_BYTES, mediaTypeOf } from "../wasm/workspace/media-type.ts";

/** Maximum files of one message. Source: Discord docs, Create Message; Slack accepts as many. */
const MAX_FILES = 10;
const NAME_CHARS = 80;

/**
 * Sends images and PDFs of a result to the thread, so that people see what a tool made for them, and tells the model.
 * Posts once per call, even across a crash, and at once because an answer may never come. If the thread does not accept
 * them, the result stands.
 */
export async function showMedia(
  result: ToolResult,
  ctx: Pick<ToolContext, "callId" | "thread">,
  media: readonly ToolResultContent[] = result.content,
): Promise<ToolResult> {
  const files = media.flatMap((block, index) => fileOf(block, index)).slice(0, MAX_FILES);
  const most = ctx.thread.limits.attachmentBytes;
  const fitting = files.filter(({ data }) => data.length <= most);
  if (files.length === 0) return result;
  const tooLarge = files
    .filter((file) => !fitting.includes(file))
    .map(({ name }) => `${name} is too large for the thread.`);
  const notices = fitting.length === 0 ? [] : [await sent(fitting, ctx)];
  return { ...result, content: [...result.content, { type: "text", text: [...notices, ...tooLarge].join(" ") }] };
}

async function sent(
  files: readonly OutgoingFile[],
  { callId, thread }: Pick<ToolContext, "callId" | "thread">,
): Promise<string> {
  const names = files.map(({ name }) => `\`${name}\``).join(", ");
  try {
    await thread.post(`media:${callId}`, answerMessage(names, files));
    return `${names} can be seen in the thread.`;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return `${names} could not be sent to the thread.`;
  }
}

function fileOf(block: ToolResultContent, index: number): OutgoingFile[] {
  if (block.type === "text" || block.data === undefined) return [];
  const data = Buffer.from(block.data, "base64");
  return [{ name: fileName(block.name, block.mediaType, index), mediaType: block.mediaType, data }];
}

/** A safe file name with the extension of its content. */
function fileName(name: string | undefined, mediaType: string, index: number): string {
  const last = (name ?? "").split(/[/\\]/).at(-1) ?? "";
  const plain = last.replace(/[^\p{L}\p{N}._ -]/gu, "_").replace(/^\.+/, "");
  const ending = `.${mediaType.slice(mediaType.indexOf("/") + 1)}`;
  const stem = plain.toLowerCase().endsWith(ending) ? plain.slice(0, -ending.length) : plain.replace(/\.jpe?g$/i, "");
  return `${stem.slice(0, NAME_CHARS) || `image-${index + 1}`}${ending}`;
}

/** Whether bytes have the stated type; with a wrong type, the model's provider would refuse every later request. */
export function isMedia(base64: string, mediaType: string): boolean {
  return mediaTypeIn(base64) === mediaType;
}

/** Type of the bytes whatever their stated type; "" for text. */
export function mediaTypeIn(base64: string): string {
  return mediaTypeOf(Buffer.from(base64.slice(0, 2 * HEAD_BYTES), "base64").subarray(0, HEAD_BYTES));
}
