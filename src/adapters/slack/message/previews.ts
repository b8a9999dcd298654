import type { LinkingMessage, LinkPreviews } from "../../../core/platform/chat-platform.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { untilLinksAreShown } from "../../render/shown-links.ts";
import { messageAt, type ThreadReader } from "./history.ts";
import { nodesIn } from "./node.ts";
import { readMessage } from "./read-message.ts";

/** The link previews by Slack and its apps, which Slack adds to the message a moment later. */
export async function previewsOf(
  { thread, messageId, at }: LinkingMessage,
  reader: ThreadReader & { readonly clock: Clock },
  signal: AbortSignal,
): Promise<LinkPreviews> {
  await untilLinksAreShown(at, reader.clock, signal);
  const message = await messageAt(reader, thread.channelId, messageId);
  const attachments = nodesIn(message?.attachments).filter(({ is_share: isForward }) => isForward !== true);
  const { text, quoted, files } = await readMessage({ attachments }, { directory: reader.directory, botUserId: null });
  return { quoted: [text, ...quoted].filter((each) => each !== ""), attachments: files };
}
