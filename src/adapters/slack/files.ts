import { z } from "zod";
import { PlatformError } from "../../core/protocol/errors.ts";
import type { Attachment } from "../../core/protocol/platform.ts";
import { toPlatformError } from "./errors.ts";
import type { SlackWeb } from "./web.ts";

export interface FileAccess {
  readonly web: SlackWeb;
  readonly botToken: string;
  readonly apiUrl: string | undefined;
}

const fileAddressSchema = z.object({ url_private_download: z.string().optional(), url_private: z.string() });

/**
 * The bytes of a file. Slack answers with its login page and status 200 where the token may not read
 * files, so what comes is compared with what was announced.
 */
export async function fetchSlackFile(
  access: FileAccess,
  attachment: Attachment,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const unreadable = (message: string) =>
    new PlatformError("attachment_unreadable", message, { detail: { platform: "slack", name: attachment.name } });
  if (attachment.size > maxBytes) throw unreadable(`${attachment.size} bytes are more than ${maxBytes}`);
  const url = await addressOf(access, attachment.ref);
  if (url === null || !isSlackAddress(url, access.apiUrl)) throw unreadable("the file's address is not Slack's");
  const response = await fetch(url, { headers: { authorization: `Bearer ${access.botToken}` }, signal }).catch(
    (cause: unknown) => {
      signal.throwIfAborted();
      throw new PlatformError("network", "the file could not be fetched", { cause, detail: { platform: "slack" } });
    },
  );
  if (!response.ok || response.body === null) throw unreadable(`HTTP ${response.status}`);
  const isHtml = (response.headers.get("content-type") ?? "").startsWith("text/html");
  const bytes = await readAtMost(response.body, maxBytes);
  if (bytes === null) throw unreadable(`more than ${maxBytes} bytes`);
  const announcedHtml = attachment.mediaType.startsWith("text/html") && bytes.length === attachment.size;
  if (isHtml && !announcedHtml) {
    const detail = { platform: "slack", scope: "files:read", purpose: "read files", name: attachment.name };
    throw new PlatformError("missing_scope", "Slack sent its login page", { detail });
  }
  return bytes;
}

/** Files of other workspaces come by id only. */
async function addressOf({ web }: FileAccess, ref: string): Promise<URL | null> {
  if (URL.canParse(ref)) return new URL(ref);
  try {
    const { file } = await web.files.info({ file: ref });
    const { url_private_download, url_private } = fileAddressSchema.parse(file);
    return new URL(url_private_download ?? url_private);
  } catch (error) {
    throw toPlatformError(error, "read files");
  }
}

/** The bot's token goes to Slack only, whatever address an event names. */
function isSlackAddress(url: URL, apiUrl: string | undefined): boolean {
  if (apiUrl !== undefined && url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === "https:" && /(?:^|\.)slack\.com$/u.test(url.hostname);
}

/** Null when the body is longer. */
async function readAtMost(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
