import type { RawFile } from "discord.js";
import type { OutgoingFile, OutgoingMessage } from "../../../core/platform/outgoing.ts";
import { privateMessage } from "../../../core/platform/replies.ts";
import { DISCORD_LIMITS, FILES_BYTES } from "../limits.ts";

const LINE_END = 0x0a;

/**
 * The files for each of the requests that they need, at least one. Large text files are split, because Discord rejects
 * a message if one of its files, or the whole request, is too large.
 */
export function uploadsOf(files: readonly OutgoingFile[]): [OutgoingFile[], ...OutgoingFile[][]] {
  const requests: [OutgoingFile[], ...OutgoingFile[][]] = [[]];
  let bytes = 0;
  for (const file of files.flatMap(partsOf)) {
    bytes += file.data.length;
    if (bytes <= FILES_BYTES) requests.at(-1)?.push(file);
    else {
      requests.push([file]);
      bytes = file.data.length;
    }
  }
  return requests;
}

/** A private message as one message for each request that its files need; the first has its text and buttons. */
export function privateParts(message: OutgoingMessage): [OutgoingMessage, ...OutgoingMessage[]] {
  const [own, ...more] = uploadsOf(message.files);
  return [{ ...message, files: own }, ...more.map((files) => ({ ...privateMessage(""), files }))];
}

export function toRawFiles(files: readonly OutgoingFile[]): RawFile[] {
  return files.map(({ name, mediaType, data }) => ({ name, contentType: mediaType, data }));
}

function partsOf(file: OutgoingFile): readonly OutgoingFile[] {
  if (file.data.length <= DISCORD_LIMITS.attachmentBytes || !file.mediaType.startsWith("text/")) return [file];
  const parts: Uint8Array[] = [];
  for (let rest = file.data; rest.length > 0; rest = rest.subarray(parts.at(-1)?.length)) {
    parts.push(rest.subarray(0, endOfPart(rest)));
  }
  return parts.map((data, index) => ({ ...file, name: numbered(file.name, index + 1), data }));
}

/** The end of the last line that fits; of a longer line, the end of its last whole character. */
function endOfPart(data: Uint8Array): number {
  const most = DISCORD_LIMITS.attachmentBytes;
  if (data.length <= most) return data.length;
  const line = data.lastIndexOf(LINE_END, most - 1) + 1;
  if (line > 0) return line;
  let end = most;
  while (end > most - 4 && isContinued(data[end])) end -= 1;
  return end;
}

/** Whether the byte continues a UTF-8 character. */
function isContinued(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? `${name}-${number}` : `${name.slice(0, dot)}-${number}${name.slice(dot)}`;
}
