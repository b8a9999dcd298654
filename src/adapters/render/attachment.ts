import { PlatformError } from "../../core/protocol/errors.ts";
import type { Attachment } from "../../core/protocol/platform.ts";

/** Why the bytes of an attachment are not to be had. */
export function unreadable({ name }: Pick<Attachment, "name">, reason: string): PlatformError {
  return new PlatformError("attachment_unreadable", `${name}: ${reason}`, { detail: { name, reason } });
}

/** The bytes of a response; null when there are more than this. */
export async function bytesAtMost(maxBytes: number, { body }: Response): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
