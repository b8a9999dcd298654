import { z } from "zod";
import type { Attachment } from "../../../core/platform/inbound.ts";
import { PlatformError } from "../../../core/protocol/errors.ts";
import { bytesAtMost, unreadable } from "../../render/attachment.ts";
import { SLACK } from "../descriptor.ts";
import { toPlatformError } from "../errors.ts";
import { FILE_REDIRECTS, FILE_TIMEOUT_MS } from "../limits.ts";
import { isSlackAddress, type SlackWeb } from "../web.ts";
import { CANVAS } from "./shared-files.ts";

export interface FileAccess {
  readonly web: SlackWeb;
  readonly botToken: string;
  readonly apiUrl: string | undefined;
}

/** Source: RFC 9110, 15.4. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const fileAddressSchema = z.object({ url_private_download: z.string().optional(), url_private: z.string() });

/**
 * Downloads a file. If the token may not read files, Slack answers with its login page and status 200, so the type and
 * size of the response are checked.
 */
export async function fetchSlackFile(
  access: FileAccess,
  attachment: Attachment,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  if (attachment.size > maxBytes) throw unreadable(attachment, `${attachment.size} bytes are more than ${maxBytes}`);
  const url = await addressOf(access, attachment);
  if (url === null || !isSlackAddress(url, access.apiUrl)) {
    throw unreadable(attachment, "the file's address is not Slack's");
  }
  const downloaded = await download(url, access, { maxBytes, signal });
  if (downloaded === null) throw unreadable(attachment, "its address leads away from Slack");
  const { response, bytes } = downloaded;
  if (!response.ok) throw unreadable(attachment, `HTTP ${response.status}`);
  if (bytes === null) throw unreadable(attachment, `more than ${maxBytes} bytes`);
  const isHtml = (response.headers.get("content-type") ?? "").startsWith("text/html");
  const announcedHtml = attachment.mediaType.startsWith("text/html") && bytes.length === attachment.size;
  // A canvas was asked for by id, so the scope was already checked.
  const isCanvas = attachment.mediaType === CANVAS && !URL.canParse(attachment.ref);
  if (isHtml && !announcedHtml && !isCanvas) {
    const detail = { platform: SLACK.title, scope: "files:read", purpose: "read files", name: attachment.name };
    throw new PlatformError("missing_scope", "Slack sent its login page", { detail });
  }
  return bytes;
}

/**
 * `bytes` is null if there are more than `maxBytes`. Returns null if Slack redirects elsewhere, because a response must
 * not make the bot send requests into its own network. A failed or stalled download is a `network` failure.
 */
async function download(
  url: URL,
  access: FileAccess,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<{ response: Response; bytes: Uint8Array | null } | null> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(FILE_TIMEOUT_MS)]);
  try {
    const response = await followed(url, access, bounded);
    return response && { response, bytes: response.ok ? await bytesAtMost(maxBytes, response) : new Uint8Array() };
  } catch (cause) {
    signal.throwIfAborted();
    throw new PlatformError("network", "the file could not be fetched", { cause, detail: { platform: SLACK.title } });
  }
}

/** Follows redirects between Slack's addresses; null if one leads elsewhere, or there are too many. */
async function followed(first: URL, { botToken, apiUrl }: FileAccess, signal: AbortSignal): Promise<Response | null> {
  let url = first;
  for (let redirects = 0; redirects <= FILE_REDIRECTS; redirects += 1) {
    const headers = { authorization: `Bearer ${botToken}` };
    const response = await fetch(url, { headers, signal, redirect: "manual" });
    const location = response.headers.get("location");
    if (!REDIRECTS.has(response.status) || location === null) return response;
    await response.body?.cancel();
    const next = URL.parse(location, url.href);
    if (next === null || !isSlackAddress(next, apiUrl)) return null;
    url = next;
  }
  return null;
}

/** The file's address. Files known only by id are looked up: they are from other workspaces, or deleted. */
async function addressOf({ web }: FileAccess, attachment: Attachment): Promise<URL | null> {
  const { ref } = attachment;
  if (URL.canParse(ref)) return new URL(ref);
  try {
    const { file } = await web.files.info({ file: ref });
    const { url_private_download, url_private } = fileAddressSchema.parse(file);
    return new URL(url_private_download ?? url_private);
  } catch (error) {
    const failure = toPlatformError(error, "read files");
    throw failure.code === "platform_failed" ? unreadable(attachment, failure.message) : failure;
  }
}
