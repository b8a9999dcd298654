import type { LinkingMessage, LinkPreviews } from "../../../core/platform/chat-platform.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { untilLinksAreShown } from "../../render/shown-links.ts";
import { messageIn } from "../history.ts";
import type { DiscordRest } from "../rest.ts";
import { filesOf } from "./files.ts";
import { type LinkedScope, linkedMessages } from "./linked.ts";
import type { WireMessage } from "./message-schema.ts";
import { embedTexts } from "./read-message.ts";

export interface PreviewScope extends LinkedScope {
  readonly rest: DiscordRest;
  readonly clock: Clock;
}

/**
 * The link previews that Discord adds to a message a moment later, and the messages that it links to, of which Discord
 * shows only the link.
 */
export async function previewsOf(of: LinkingMessage, scope: PreviewScope, signal: AbortSignal): Promise<LinkPreviews> {
  const { rest, namesIn, clock } = scope;
  const [linked] = await Promise.all([linkedMessages(of, scope), untilLinksAreShown(of.at, clock, signal)]);
  const message = await messageIn(rest, of, signal);
  const shown = message === null ? [] : [withoutAllBesides(message)];
  const names = await namesIn(shown, of.thread.workspaceId);
  return {
    quoted: [...shown.flatMap((each) => embedTexts(each, names)), ...linked.map(({ text }) => text)],
    attachments: [...shown, ...linked.map((each) => each.message)].flatMap(filesOf),
  };
}

function withoutAllBesides(message: WireMessage): WireMessage {
  return { ...message, attachments: [], components: [], message_snapshots: [], referenced_message: undefined };
}
