import type { Attachment } from "../../../core/platform/inbound.ts";
import type { PlatformError } from "../../../core/protocol/errors.ts";
import { bytesAtMost, unreadable } from "../../render/attachment.ts";
import { callDiscord } from "../errors.ts";
import type { DiscordRest } from "../rest.ts";
import { filesOf, pathOf } from "./files.ts";

interface FetchArgs {
  readonly rest: DiscordRest;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Timeout of a download. In milliseconds. */
const FILE_TIMEOUT_MS = 60_000;

/**
 * Downloads an attachment. If its signed URL has expired, reads a fresh one from its message. Rejects with
 * `attachment_unreadable` and the reason in `detail.reason`.
 */
export async function fetchAttachment(attachment: Attachment, fetching: FetchArgs): Promise<Uint8Array> {
  if (attachment.size > fetching.maxBytes) throw tooLarge(attachment, fetching.maxBytes);
  const [url = "", source = ""] = attachment.ref.split("#");
  let response = await request(url, fetching.signal);
  if (!response.ok && source !== "")
    response = await request(await freshUrl(source, attachment, fetching), fetching.signal);
  if (!response.ok) throw unreadable(attachment, `Discord answered ${response.status}`);
  if (isErrorPage(response, attachment)) throw unreadable(attachment, "Discord answered with a web page instead of it");
  const bytes = await callDiscord("", () => bytesAtMost(fetching.maxBytes, response), fetching.signal);
  if (bytes === null) throw tooLarge(attachment, fetching.maxBytes);
  return bytes;
}

function request(url: string, signal: AbortSignal): Promise<Response> {
  // The timeout covers the body, too.
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(FILE_TIMEOUT_MS)]);
  return callDiscord("", () => fetch(url, { signal: bounded, redirect: "error" }), signal);
}

async function freshUrl(source: string, attachment: Attachment, { rest, signal }: FetchArgs): Promise<string> {
  const [channelId = "", messageId = ""] = source.split("/");
  const files = filesOf(await rest.message(channelId, messageId, signal));
  const found = files.find((candidate) => pathOf(candidate) === pathOf(attachment));
  if (found === undefined) throw unreadable(attachment, "it was deleted");
  return found.ref.split("#")[0] ?? "";
}

function isErrorPage(response: Response, attachment: Attachment): boolean {
  return response.headers.get("content-type")?.startsWith("text/html") === true && !/html/u.test(attachment.mediaType);
}

function tooLarge(attachment: Attachment, maxBytes: number): PlatformError {
  return unreadable(attachment, `it is larger than ${maxBytes} bytes`);
}
