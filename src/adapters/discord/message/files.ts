import type { Attachment } from "../../../core/platform/inbound.ts";
import { everyComponent } from "./components.ts";
import { fileNameOf } from "./embeds.ts";
import type { WireContent, WireMedia, WireMessage } from "./message-schema.ts";

/** Maximum number of files of one message, including those it quotes. */
const MAX_FILES = 20;

/**
 * Files of a message, of the messages that it forwards or answers, and the pictures in its embeds and components, each
 * once.
 */
export function filesOf(message: WireMessage): Attachment[] {
  const { referenced_message: answered } = message;
  const all = [
    ...filesAt(message, message),
    ...(answered === null || answered === undefined ? [] : filesAt(answered, answered)),
  ];
  const byPath = new Map(all.map((file) => [pathOf(file), file]));
  return [...byPath.values()].slice(0, MAX_FILES);
}

interface Source {
  readonly channel_id: string;
  readonly id: string;
}

function filesAt(
  content: WireContent & { readonly message_snapshots?: readonly { readonly message: WireContent }[] },
  source: Source,
): Attachment[] {
  const { attachments, embeds, components, message_snapshots: forwarded = [] } = content;
  const own = attachments.map((file) => ({
    name: file.filename,
    mediaType: file.content_type ?? UNKNOWN,
    size: file.size,
    ref: refTo(file.url, source),
  }));
  const shown = everyComponent(components).flatMap(({ file, media, items, name, size }) => [
    ...(file === undefined ? [] : picture(file, source, { name, size })),
    ...(media === undefined ? [] : picture(media, source)),
    ...items.flatMap((item) => picture(item.media, source)),
  ]);
  // Pictures in link previews are skipped, since the linked page chose them.
  const embedded = embeds.flatMap(({ type, image }) =>
    image !== undefined && (type === "rich" || type === "image") ? picture(image, source) : [],
  );
  return [...own, ...shown, ...embedded, ...forwarded.flatMap(({ message }) => filesAt(message, source))];
}

const UNKNOWN = "application/octet-stream";

/** Only files hosted by Discord; other addresses are in the message's text. */
function picture(
  { url, proxy_url, content_type }: WireMedia,
  source: Source,
  { name, size } = { name: "", size: 0 },
): Attachment[] {
  const held = [url, proxy_url].find(isDiscords);
  if (held === undefined) return [];
  return [
    { name: name === "" ? fileNameOf(url) : name, mediaType: content_type ?? UNKNOWN, size, ref: refTo(held, source) },
  ];
}

function isDiscords(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.protocol !== "https:") return false;
  return parsed.hostname === "cdn.discordapp.com" || parsed.hostname.endsWith(".discordapp.net");
}

/** The file's URL, which expires after a day, followed by # and the message from which to get a fresh one. */
function refTo(url: string, { channel_id, id }: Source): string {
  return `${url}#${channel_id}/${id}`;
}

/** The path of a file's URL, which is the same however the URL is signed. */
export function pathOf({ ref }: Pick<Attachment, "ref">): string {
  return URL.parse(ref)?.pathname ?? ref;
}
