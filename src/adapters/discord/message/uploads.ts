import type { RawFile } from "discord.js";
import type { OutgoingFile } from "../../../core/protocol/platform.ts";
import { DISCORD_LIMITS } from "../limits.ts";

const LINE_END = 0x0a;

/** Discord refuses a message for one file that is too large: a text is sent in several. */
export function uploadsOf(files: readonly OutgoingFile[]): RawFile[] {
  return files.flatMap((file) =>
    partsOf(file).map(({ name, mediaType, data }) => ({ name, contentType: mediaType, data })),
  );
}

function partsOf(file: OutgoingFile): readonly OutgoingFile[] {
  if (file.data.length <= DISCORD_LIMITS.attachmentBytes || !file.mediaType.startsWith("text/")) return [file];
  const parts: Uint8Array[] = [];
  for (let rest = file.data; rest.length > 0; rest = rest.subarray(parts.at(-1)?.length)) {
    parts.push(rest.subarray(0, endOfPart(rest)));
  }
  return parts.map((data, index) => ({ ...file, name: numbered(file.name, index + 1), data }));
}

/** Behind the last line that fits; of a line that does not, behind its last whole character. */
function endOfPart(data: Uint8Array): number {
  const most = DISCORD_LIMITS.attachmentBytes;
  if (data.length <= most) return data.length;
  const line = data.lastIndexOf(LINE_END, most - 1) + 1;
  if (line > 0) return line;
  let end = most;
  while (end > most - 4 && isContinued(data[end])) end -= 1;
  return end;
}

/** Whether the byte goes on with a character of UTF-8 that has begun before it. */
function isContinued(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? `${name}-${number}` : `${name.slice(0, dot)}-${number}${name.slice(dot)}`;
}
