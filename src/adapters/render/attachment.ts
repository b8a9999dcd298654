import type { Attachment } from "../../core/platform/inbound.ts";
import { PlatformError } from "../../core/protocol/errors.ts";

/** The error for an attachment whose bytes cannot be read. */
export function unreadable({ name }: Pick<Attachment, "name">, reason: string): PlatformError {
  return new PlatformError("attachment_unreadable", `${name}: ${reason}`, { detail: { name, reason } });
}

/** Reads the body of a response; null if it is longer than `maxBytes`. */
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
