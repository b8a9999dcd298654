import type { LinkingMessage, LinkPreviews } from "../../../core/protocol/platform.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { untilLinksAreShown } from "../../render/shown-links.ts";
import { messageAt, type ThreadReader } from "./history.ts";
import { nodesIn } from "./node.ts";
import { readMessage } from "./read-message.ts";

/** What Slack and its apps show of a message's links: Slack adds it to the message, and says so by an event of its own. */
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
